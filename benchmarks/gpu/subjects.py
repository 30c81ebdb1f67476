"""What the timing benchmarks time: a kernel with fresh buffers, on as many copies as the rules ask for.

Each `Subject` says how to start one version of it; `BufferCopies` allocates. Example::

    copies = BufferCopies(kit, (module, SUBJECTS[0]), (same_code_again, SUBJECTS[0]), random.Random(1))
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.device.driver import Address, Driver, ModuleHandle, PreparedLaunch
from assistant.device.timing.kit import Kit, pointer
from assistant.model.launch import Dim3, LaunchConfig

__all__ = ["SOURCE", "SUBJECTS", "TINY", "BufferCopies", "Subject", "int32", "polynomial", "spin"]

SOURCE = Path(__file__).with_name("kernels.cu")
_COPIES_L2_FACTOR = 2
_MOST_COPIES = 64
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class Subject:
    """One kernel on one shape."""

    name: str
    kernel: str
    config: LaunchConfig
    buffers: tuple[int, ...]
    """Sizes in bytes."""
    arguments: Callable[[Sequence[Address]], tuple[bytes, ...]]
    changed: tuple[int, ...]
    """Indices of the buffers that it writes."""
    is_restored: bool = False


class BufferCopies:
    """Implements ``timing.copies.Copies``: fresh buffers of random bits that are small floats."""

    def __init__(self, kit: Kit, a: tuple[ModuleHandle, Subject], b: tuple[ModuleHandle, Subject], rng: random.Random) -> None:
        self._kit = kit
        self._driver: Driver = kit.driver
        self._sides = {"A": a, "B": b}
        self._subject = a[1]
        self.is_restored = self._subject.is_restored
        self._pristine = [_filled(self._driver, size, rng) for size in self._subject.buffers]
        self._copies: list[list[Address]] = []
        self._launches: dict[str, list[tuple[PreparedLaunch, ...]]] = {"A": [], "B": []}
        footprint = max(1, sum(self._subject.buffers))
        self.grow(max(1, min(_MOST_COPIES, -(-kit.l2_bytes * _COPIES_L2_FACTOR // footprint))) if self._subject.buffers else 1)

    @property
    def count(self) -> int:
        return len(self._copies)

    @property
    def size_bytes(self) -> int:
        return sum(self._subject.buffers)

    def grow(self, count: int) -> None:
        while len(self._copies) < count:
            addresses = [self._driver.allocate(size) for size in self._subject.buffers]
            self._copies.append(addresses)
            for address, source, size in zip(addresses, self._pristine, self._subject.buffers, strict=True):
                self._driver.copy(address, source, size)
            for version, (module, subject) in self._sides.items():
                function = self._driver.function(module, subject.kernel)
                self._launches[version].append((self._driver.prepare(function, subject.config, subject.arguments(addresses)),))
        self._driver.synchronize()

    def launches(self, version: str, copy: int) -> Sequence[PreparedLaunch]:
        return self._launches[version][copy]

    def restore(self, version: str, copy: int) -> None:
        for index in self._subject.changed:
            self._driver.copy(self._copies[copy][index], self._pristine[index], self._subject.buffers[index])

    def changed(self, version: str, copy: int) -> Sequence[tuple[Address, int]]:
        return [(self._copies[copy][index], self._subject.buffers[index]) for index in self._subject.changed]

    def close(self) -> None:
        for address in (*self._pristine, *(address for copy in self._copies for address in copy)):
            self._driver.free(address)


def _filled(driver: Driver, size_bytes: int, rng: random.Random) -> Address:
    """Random floats between 0.5 and 1 (as integers: anything), one piece over and over."""
    address = driver.allocate(size_bytes)
    piece = bytearray(rng.randbytes(min(size_bytes, _PIECE_BYTES)))
    piece[3::4] = b"\x3f" * len(piece[3::4])
    driver.write(address, bytes(piece))
    filled = len(piece)
    while filled < size_bytes:
        step = min(filled, size_bytes - filled)
        driver.copy(Address(address + filled), address, step)
        filled += step
    driver.synchronize()
    return address


def int32(value: int) -> bytes:
    return struct.pack("<i", value)


def spin(clocks: int, sm_count: int) -> Subject:
    """All SMs busy for so many clocks."""
    config = LaunchConfig(Dim3(sm_count), Dim3(32))
    return Subject("spin", "spin", config, (), lambda _: (struct.pack("<q", clocks),), ())


def polynomial(repeats: int, count: int = 1 << 16) -> Subject:
    """``repeats`` evaluations of each of ``count`` elements."""
    config = LaunchConfig(Dim3(-(-count // 256)), Dim3(256))

    def arguments(at: Sequence[Address]) -> tuple[bytes, ...]:
        return pointer(at[0]), pointer(at[1]), int32(count), int32(repeats)

    return Subject("polynomial", "repeat_polynomial", config, (4 * count, 4 * count), arguments, (1,))


def _linear(name: str, kernel: str, count: int, is_restored: bool = False) -> Subject:
    config = LaunchConfig(Dim3(-(-count // 256)), Dim3(256))

    def arguments(at: Sequence[Address]) -> tuple[bytes, ...]:
        return pointer(at[0]), pointer(at[1]), int32(count)

    return Subject(name, kernel, config, (4 * count, 4 * count), arguments, (0,) if is_restored else (1,), is_restored)


def _square(name: str, kernel: str, n: int, block: Dim3, covered: Dim3, inputs: int = 1) -> Subject:
    """An n by n problem, ``covered`` elements of it a block."""
    config = LaunchConfig(Dim3(n // covered.x, n // covered.y), block)

    def arguments(at: Sequence[Address]) -> tuple[bytes, ...]:
        return (*(pointer(address) for address in at), int32(n))

    return Subject(name, kernel, config, (4 * n * n,) * (inputs + 1), arguments, (inputs,))


def _histogram(count: int) -> Subject:
    def arguments(at: Sequence[Address]) -> tuple[bytes, ...]:
        return pointer(at[0]), pointer(at[1]), int32(count)

    return Subject("histogram", "histogram", LaunchConfig(Dim3(528), Dim3(256)), (4 * count, 1024), arguments, (1,), is_restored=True)


TINY = _linear("scale 2^16", "scale", 1 << 16)
"""0.3 µs: shorter than what code at another place in memory changes."""

SUBJECTS: tuple[Subject, ...] = (
    _linear("scale 2^20", "scale", 1 << 20),
    _linear("add in place 2^20", "add_in_place", 1 << 20, is_restored=True),
    _histogram(1 << 22),
    _square("stencil 2048²", "stencil", 2048, Dim3(32, 8), Dim3(32, 8)),
    _square("transpose 4096²", "transpose", 4096, Dim3(32, 8), Dim3(32, 32)),
    _linear("scale 2^28", "scale", 1 << 28),
    _square("matmul 2688²", "matmul", 2688, Dim3(16, 16), Dim3(16, 16), inputs=2),
)
"""From 3 µs to 5 ms: streaming, in place, atomics, two-dimensional, shared memory, arithmetic."""
