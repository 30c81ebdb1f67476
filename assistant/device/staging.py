"""Buffers of a case on the device: their initial contents once (`Pristine`), and copies of them to run launches on (`Stage`).

A stage gives every buffer a place of its own between two guard zones, and can move all of them. Restoring is queued on a stream and
never waits, so that it may stand between timed calls. Example::

    pristine = Pristine(driver, case, fill=0xAB)
    stage = Stage(driver, pristine, (image,), random.Random(1))
    stage.restore()
    for launch in stage.launches(image, case):
        driver.launch(launch)
    stage.read(1)                   # contents of buffer 1
    stage.broken_guard()            # (buffer id, offset) of the first byte written outside a buffer
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from random import Random

from assistant.device.driver import Address, DeviceError, Driver, PreparedLaunch, StreamHandle
from assistant.device.gpu_state import LoadedImage
from assistant.device.replay_case import ReplayBuffer, ReplayCase, with_pointers
from assistant.record import Record

__all__ = ["CANARY", "GUARD_BYTES", "Pristine", "Stage"]

GUARD_BYTES = 4096
"""On both sides of a buffer; the emulator's replays use as much."""
CANARY = 0xC5
"""What guard zones hold; no NaN, so that a kernel that reads it goes on (as the emulator's)."""
_ALIGNMENT_BYTES = 256
"""Alignment of every allocation of CUDA's (CUDA C++ Programming Guide, "Device Memory Accesses"); kernels may rely on it."""
_SLACK_BYTES = 8192
"""How far a buffer may move inside its allocation."""


class _Allocation(Record):
    """Device memory for one buffer with its guard zones and the room to move."""

    base: Address
    size_bytes: int
    """Size of the buffer."""

    @property
    def total_bytes(self) -> int:
        return self.size_bytes + 2 * GUARD_BYTES + _SLACK_BYTES


class Pristine:
    """Initial contents of a case's buffers on the device, poison filled in."""

    def __init__(self, driver: Driver, case: ReplayCase, fill: int) -> None:
        self.case = case
        self.fill = fill
        self._driver = driver
        self._places: dict[int, Address] = {}
        try:
            for buffer in case.buffers:
                self._places[buffer.id] = driver.allocate(buffer.size_bytes)
                write_contents(driver, self._places[buffer.id], buffer, fill)
        except BaseException:
            self.close()
            raise

    def address(self, buffer: int) -> Address:
        return self._places[buffer]

    def close(self) -> None:
        """Give the memory back."""
        _free(self._driver, self._places.values())
        self._places = {}


def write_contents(driver: Driver, address: Address, buffer: ReplayBuffer, fill: int) -> None:
    """What a buffer holds before its case; ``fill`` where that is arbitrary or unknown."""
    known = memoryview(buffer.contents)[: buffer.size_bytes]
    driver.write(address, known)
    driver.fill(Address(address + len(known)), fill, buffer.size_bytes - len(known))


class Stage:
    """One copy of a case's buffers, at addresses of its own, bound to the device variables of one or more programs."""

    def __init__(self, driver: Driver, pristine: Pristine, images: tuple[LoadedImage, ...], random: Random) -> None:
        """Raises DeviceError where there is no memory for it; nothing is left allocated then."""
        self._driver = driver
        self._pristine = pristine
        self._random = random
        self._buffers = {buffer.id: buffer for buffer in pristine.case.buffers}
        self._symbols = {image.module: _symbols_of(image, pristine.case) for image in images}
        self._images = images
        self._allocations: dict[int, _Allocation] = {}
        self._addresses: dict[int, Address] = {}
        self._patched: dict[int, Address] = {}
        """Initial contents of the buffers that hold pointers, with this stage's addresses."""
        try:
            for buffer in pristine.case.buffers:
                if buffer.symbol is None:
                    allocation = _Allocation(driver.allocate(_Allocation(Address(0), buffer.size_bytes).total_bytes), buffer.size_bytes)
                    self._allocations[buffer.id] = allocation
            self.move()
        except BaseException:
            self.close()
            raise

    @property
    def regions(self) -> tuple[tuple[Address, int], ...]:
        """(address, size in bytes) of every buffer that is no device variable."""
        return tuple((self._addresses[key], allocation.size_bytes) for key, allocation in self._allocations.items())

    def move(self) -> None:
        """Give every buffer another place and set the guard zones anew. Contents are undefined until the next ``restore``."""
        for key, allocation in self._allocations.items():
            offset = GUARD_BYTES + _ALIGNMENT_BYTES * self._random.randrange(_SLACK_BYTES // _ALIGNMENT_BYTES + 1)
            self._addresses[key] = Address(allocation.base + offset)
            self._driver.fill(allocation.base, CANARY, offset)
            behind = Address(allocation.base + offset + allocation.size_bytes)
            self._driver.fill(behind, CANARY, allocation.total_bytes - offset - allocation.size_bytes)
        for image in self._images:
            self._patch(self._places(image))

    def restore(self, stream: StreamHandle | None = None, only: Collection[int] | None = None) -> None:
        """Queue the initial contents of every buffer and device variable, or of those ``only``; guard zones stay as they are."""
        for key, allocation in self._allocations.items():
            if only is None or key in only:
                self._driver.copy(self._addresses[key], self._source(key), allocation.size_bytes, stream)
        for symbols in self._symbols.values():
            for key, (address, size) in symbols.items():
                if only is None or key in only:
                    self._driver.copy(address, self._source(key), size, stream)

    def place(self, buffer: int) -> tuple[Address, int] | None:
        """(address, size in bytes) of a buffer; None for a device variable."""
        allocation = self._allocations.get(buffer)
        return None if allocation is None else (self._addresses[buffer], allocation.size_bytes)

    def launches(self, image: LoadedImage, case: ReplayCase) -> tuple[PreparedLaunch, ...]:
        """The case's launches in that program's kernels, on this stage's buffers.

        ``case``: the pristine's own, or one that differs in launches alone. Raises CannotAnswerError for a kernel that is not there,
        ValueError for arguments that do not fit it.
        """
        places = self._places(image)
        return tuple(
            self._driver.prepare(
                image.function(launch.kernel), launch.config, launch.arguments_at(places), launch.is_cooperative, launch.cluster
            )
            for launch in case.launches
        )

    def read(self, buffer: int, image: LoadedImage | None = None) -> bytes:
        """What a buffer holds now; pointers that were not changed read as they were recorded. ``image``: whose device variables."""
        facts = self._buffers[buffer]
        places = self._places(image or self._images[0])
        if buffer not in places:  # a variable that the program does not use
            return facts.contents.ljust(facts.size_bytes, bytes([self._pristine.fill]))
        size = self._size_in(buffer, image or self._images[0])
        data = self._driver.read(Address(places[buffer]), size)
        return _as_recorded(data, facts, places) + facts.contents[size:]

    def broken_guard(self) -> tuple[int, int] | None:
        """(buffer id, offset from its start) of the first byte that was written outside a buffer; None where all is untouched."""
        for key, allocation in self._allocations.items():
            start = self._addresses[key] - allocation.base
            before = self._driver.read(allocation.base, start)
            end = start + allocation.size_bytes
            behind = self._driver.read(Address(allocation.base + end), allocation.total_bytes - end)
            for zone, offset in ((before, -start), (behind, allocation.size_bytes)):
                if zone.count(CANARY) != len(zone):
                    return key, offset + next(at for at, byte in enumerate(zone) if byte != CANARY)
        return None

    def close(self) -> None:
        """Give the memory back."""
        _free(self._driver, [*(allocation.base for allocation in self._allocations.values()), *self._patched.values()])
        self._allocations, self._patched = {}, {}

    def _places(self, image: LoadedImage) -> Mapping[int, int]:
        return {**self._addresses, **{key: address for key, (address, _) in self._symbols[image.module].items()}}

    def _size_in(self, buffer: int, image: LoadedImage) -> int:
        symbol = self._symbols[image.module].get(buffer)
        return self._buffers[buffer].size_bytes if symbol is None else symbol[1]

    def _source(self, buffer: int) -> Address:
        return self._patched.get(buffer, self._pristine.address(buffer))

    def _patch(self, places: Mapping[int, int]) -> None:
        """Initial contents with this stage's addresses, for buffers that hold pointers."""
        for buffer in self._buffers.values():
            reached = tuple(pointer for pointer in buffer.pointers if pointer.buffer in places)
            if not reached:
                continue
            if buffer.id not in self._patched:
                self._patched[buffer.id] = self._driver.allocate(buffer.size_bytes)
            self._driver.write(self._patched[buffer.id], with_pointers(buffer.contents, reached, places))


def _symbols_of(image: LoadedImage, case: ReplayCase) -> dict[int, tuple[Address, int]]:
    """Buffer id → (address, bytes used) of the case's device variables that the program has."""
    found: dict[int, tuple[Address, int]] = {}
    for buffer in case.buffers:
        symbol = None if buffer.symbol is None else image.symbol(buffer.symbol)
        if symbol is not None:
            found[buffer.id] = (symbol[0], min(symbol[1], buffer.size_bytes))
    return found


def _as_recorded(data: bytes, buffer: ReplayBuffer, places: Mapping[int, int]) -> bytes:
    """``data`` with the pointers that still lead where they were put, as the recording has them: addresses are no result."""
    if not buffer.pointers:
        return data
    changed = bytearray(data)
    for pointer in buffer.pointers:
        span = slice(pointer.offset_bytes, pointer.offset_bytes + 8)
        put = places.get(pointer.buffer, 0) + pointer.buffer_offset_bytes
        if int.from_bytes(data[span], "little") == put:
            changed[span] = buffer.contents[span]
    return bytes(changed)


def _free(driver: Driver, addresses: Iterable[Address]) -> None:
    for address in addresses:
        with suppress(DeviceError):  # of a lost context, which frees all there is
            driver.free(address)
