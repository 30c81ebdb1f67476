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
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from assistant.build.symbols import is_in_unit, symbol_for
from assistant.device.driver import Address, DeviceError, Driver, FunctionHandle, ModuleHandle
from assistant.device.gpu_protocol import Image
from assistant.disk.gpu_lease import Lease, lock_folder
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
    unit: str = ""
    """Path of its source, where there are others."""
    others: tuple[LoadedImage, ...] = ()
    """Loaded code of further units."""

    def function(self, name: str) -> FunctionHandle:
        """The kernel that a recording calls ``name``; raises CannotAnswerError where the program has none."""
        units = (self, *self.others)
        image = next((unit for unit in units if is_in_unit(name, unit.unit, unit.kernels)), self) if self.others else self
        symbol = symbol_for(name, image.kernels)
        if symbol is None:
            raise CannotAnswerError(f"the program has no kernel {name}", "keep the kernel's name and parameters")
        return self.driver.function(image.module, symbol)

    def symbol(self, name: str) -> tuple[Address, int] | None:
        """(address, size) of a device variable; None where the compiler left it out, as nothing uses it.

        Raises CannotAnswerError where several units have one of that name: which of them was recorded is not known.
        """
        found = [place for unit in (self, *self.others) if (place := unit._own_symbol(name)) is not None]
        if len(found) > 1:
            raise CannotAnswerError(f"several files of the program have a device variable {name}", "give them different names")
        return found[0] if found else None

    def _own_symbol(self, name: str) -> tuple[Address, int] | None:
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
        self._images: OrderedDict[tuple[tuple[str, int], ...], LoadedImage] = OrderedDict()
        self._parts: dict[type[object], object] = {}

    @contextmanager
    def fresh(self, image: Image) -> Generator[LoadedImage]:
        """Its code, loaded for this once: device variables hold what the program starts with."""
        loaded = self._loaded(image)
        try:
            yield loaded
        finally:
            with suppress(DeviceError):  # of a lost context, which frees all there is
                self._unload(loaded)

    def image(self, image: Image) -> LoadedImage:
        """Its code, loaded; kept for the next request, with what kernels left in device variables."""
        key = tuple((str(unit.cubin), unit.cubin.stat().st_mtime_ns) for unit in image.units)
        loaded = self._images.pop(key, None)
        if loaded is None:
            loaded = self._loaded(image)
        self._images[key] = loaded
        if len(self._images) > _KEPT_IMAGES:
            _, oldest = self._images.popitem(last=False)
            self._unload(oldest)
        return replace(loaded, kernels=image.kernels)

    def _loaded(self, image: Image) -> LoadedImage:
        """Raises DeviceError."""
        made = list[LoadedImage]()
        try:
            for unit in image.units:
                made.append(LoadedImage(self.driver, self.driver.load(unit.cubin.read_bytes()), unit.kernels, unit.unit))
        except BaseException:
            for loaded in made:
                with suppress(DeviceError):
                    self.driver.unload(loaded.module)
            raise
        return replace(made[0], others=tuple(made[1:]))

    def _unload(self, image: LoadedImage) -> None:
        for unit in (image, *image.others):
            self.driver.unload(unit.module)

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
