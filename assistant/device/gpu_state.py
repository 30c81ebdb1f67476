"""What the GPU worker keeps between requests: the driver with its context, loaded code, our own kernels.

Example::

    state = GpuState(driver)
    image = state.image(request.image)
    image.function("tr<1>(float*, float const*, int)")
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from assistant.build.symbols import symbol_for
from assistant.device.driver import Address, DeviceError, Driver, FunctionHandle, ModuleHandle
from assistant.device.gpu_protocol import Image
from assistant.device.lease import Lease, lock_folder
from assistant.errors import CannotAnswerError
from assistant.record import Record

Part = TypeVar("Part")

__all__ = ["GpuState", "LoadedImage"]

_KEPT_IMAGES = 32
"""Loaded at once; the one that was not used for longest goes first."""


class LoadedImage(Record):
    """A program's device code on the device."""

    driver: Driver
    module: ModuleHandle
    kernels: tuple[tuple[str, str], ...]

    def function(self, name: str) -> FunctionHandle:
        """The kernel that a recording calls ``name``; raises CannotAnswerError where the program has none."""
        symbol = symbol_for(name, self.kernels)
        if symbol is None:
            raise CannotAnswerError(f"the program has no kernel {name}", "keep the kernel's name and parameters")
        return self.driver.function(self.module, symbol)

    def symbol(self, name: str) -> tuple[Address, int] | None:
        """(address, size) of a device variable; None where the compiler left it out, as nothing uses it."""
        for spelled in (name, _mangled(name), f"_ZL{len(name)}{name}"):
            try:
                return self.driver.symbol(self.module, spelled)
            except DeviceError as error:
                if error.is_sticky:
                    raise
        return None


def _mangled(name: str) -> str:
    """``ns::table`` as the Itanium C++ ABI mangles a variable (§5.1.2); a plain name stays as it is."""
    parts = name.split("::")
    return name if len(parts) == 1 else "_ZN" + "".join(f"{len(part)}{part}" for part in parts) + "E"


class GpuState:
    """One driver, and what is loaded through it."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.facts = driver.facts()
        self.lease = Lease(self.facts.uuid, lock_folder())
        """Held while a request is answered; offered to others between its cases."""
        self._abandoned: list[ExitStack] = []
        self._images: OrderedDict[tuple[str, int], LoadedImage] = OrderedDict()
        self._parts: dict[type[object], object] = {}

    @contextmanager
    def fresh(self, image: Image) -> Generator[LoadedImage]:
        """Its code, loaded for this once: device variables hold what the program starts with."""
        loaded = LoadedImage(self.driver, self.driver.load(image.cubin.read_bytes()), image.kernels)
        try:
            yield loaded
        finally:
            with suppress(DeviceError):  # of a lost context, which frees all there is
                self.driver.unload(loaded.module)

    def image(self, image: Image) -> LoadedImage:
        """Its code, loaded; kept for the next request, with what kernels left in device variables."""
        key = (str(image.cubin), image.cubin.stat().st_mtime_ns)
        loaded = self._images.pop(key, None)
        if loaded is None:
            loaded = LoadedImage(self.driver, self.driver.load(image.cubin.read_bytes()), image.kernels)
        self._images[key] = loaded
        if len(self._images) > _KEPT_IMAGES:
            _, oldest = self._images.popitem(last=False)
            self.driver.unload(oldest.module)
        return LoadedImage(self.driver, loaded.module, image.kernels)

    def helper(self, helpers: Path, name: str) -> FunctionHandle:
        """One of our own kernels (``helpers.cu``) by its name."""
        return self.driver.function(self.image(Image(helpers, ())).module, name)

    def part(self, kind: type[Part], make: Callable[[], Part]) -> Part:
        """The worker's one value of that type, made when it is first asked for: what an operation keeps between requests."""
        found = self._parts.get(kind)
        if not isinstance(found, kind):
            found = self._parts[kind] = make()
        return found

    def abandon(self, owned: ExitStack) -> None:
        """Keep what belongs to a kernel that never ends: giving its memory back would wait for it. The process ends soon."""
        self._abandoned.append(owned)

    def close(self) -> None:
        """Let go of the device; of a lost context too."""
        with suppress(DeviceError):
            self.driver.close()
