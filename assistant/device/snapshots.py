"""What large launches left in memory, kept on the device: taken while a program runs, compared there, and read in part.

The program's recorder (``capture/inject/snapshots.h``) asks for memory by a line in one named pipe and gets its ``CUipcMemHandle`` by the
other. Example::

    {"op": "take_snapshots", "pipes": "/s/pipes", "kernels": ["norm"], "wall_s": 60}    # … while the program runs; ends with the line "end"
    → {"snapshots": [{"id": 1, "kernel": "norm(float const*, float*, int)", "launch": 0, "argument": 1, …}], "left_out": []}
    {"op": "compare_snapshots", "pairs": [{"a": 1, "b": 2, "kind": "float"}], "helpers": "/c/helpers.cubin"}
    → {"differences": [{"count": 12, "pieces": [[0, 1048576]]}]}
    {"op": "read_snapshots", "pieces": [{"id": 1, "offset_bytes": 0, "size_bytes": 1048576}], "out": "/s/blobs"}
    {"op": "free_snapshots", "ids": [1, 2]}
"""

from __future__ import annotations

import hashlib
import math
import os
import select
import struct
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.cuda.match import unseen_kernel
from assistant.device.capture.demangle import function_name
from assistant.device.driver import Address, DeviceError, Driver
from assistant.device.gpu_state import GpuState
from assistant.device.timing.kit import u32, u64
from assistant.errors import CannotAnswerError
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.snapshot import NO_MEMORY, Piece, Snapshot, SnapshotDifference
from assistant.record import Record

__all__ = [
    "CompareRequest",
    "FreeRequest",
    "Nothing",
    "Pair",
    "ReadReply",
    "ReadRequest",
    "TakeReply",
    "TakeRequest",
    "compare_snapshots",
    "free_snapshots",
    "read_snapshots",
    "take_snapshots",
]

_ASKED, _GIVEN, _END = "asked", "given", "end"
_SPARE_SHARE = 1 / 64
"""Of the GPU's memory, left to the program: it may allocate later on (chosen)."""
_LEAST_BYTES = 2 << 20
"""The driver puts smaller allocations into a common one, which a handle would stand for."""
_LINE_BYTES = 1 << 16
_PIECE_BYTES = 1 << 20
_MOST_PIECES = 4
"""Of each kind: with the largest differences, with the largest relative ones, with the most elements that differ."""
_THREADS = 256
_NUMBERS = 3
_KINDS = {"": 0, "float": 1, "double": 2, "half": 3, "bfloat": 4}


class TakeRequest(Record):
    pipes: Path
    """Folder with the pipes ``asked`` and ``given``."""
    kernels: tuple[str, ...]
    """Qualified names of those whose launches are in question."""
    wall_s: float


class TakeReply(Record):
    snapshots: tuple[Snapshot, ...]
    left_out: tuple[str, ...]
    """Kernels of whose launches there was no room for everything."""


class Pair(Record):
    """The same buffer as two programs left it."""

    a: int
    b: int
    kind: str
    """Of its elements: ``float``, ``double``, ``half`` or ``bfloat``; empty: bytes."""


class CompareRequest(Record):
    pairs: tuple[Pair, ...]
    helpers: Path
    """The cubin of ``helpers.cu``."""


class CompareReply(Record):
    differences: tuple[SnapshotDifference, ...]


class ReadRequest(Record):
    pieces: tuple[Piece, ...]
    out: Path
    """Receives one file for each content, named by its sha256."""


class ReadReply(Record):
    blobs: tuple[str, ...]


class FreeRequest(Record):
    ids: tuple[int, ...]


class Nothing(Record):
    """No more than that it was done."""


class _Kept:
    """A worker's snapshots, by id."""

    def __init__(self) -> None:
        self.places: dict[int, tuple[Address, int]] = {}
        """Where each lies, and how many bytes it is."""
        self.next_id = 1

    def place(self, snapshot: int) -> tuple[Address, int]:
        if snapshot not in self.places:
            raise CannotAnswerError("a snapshot of the GPU's memory is gone", "compare again")
        return self.places[snapshot]


def take_snapshots(state: GpuState, request: TakeRequest) -> TakeReply:
    """Give memory to a program's recorder until the line comes that ends it. Raises CannotAnswerError where none comes in time."""
    taken = _Taking(state.driver, state.part(_Kept, _Kept), frozenset(request.kernels))
    with _opened(request.pipes / _ASKED) as asked, _opened(request.pipes / _GIVEN) as given:
        for line in _lines(asked, time.monotonic() + request.wall_s):
            if line == _END:
                return TakeReply(tuple(taken.snapshots.values()), tuple(sorted(taken.left_out)))
            if (answer := taken.answer(line)) is not None:
                os.write(given, f"{answer}\n".encode())
    raise CannotAnswerError(f"the program that snapshots are taken of did not end in {request.wall_s:g} s", "raise --timeout")


class _Taking:
    """A run's snapshots, while they are taken."""

    def __init__(self, driver: Driver, kept: _Kept, kernels: frozenset[str]) -> None:
        self._driver = driver
        self._kernels = kernels
        self._kept = kept
        self._given: Snapshot | None = None
        """Memory is there for it, and its contents are being copied."""
        self.snapshots: dict[tuple[str, int, int, int], Snapshot] = {}
        self.left_out: set[str] = set()

    def answer(self, line: str) -> str | None:
        """The line that the recorder waits for; None where it waits for none."""
        if line in ("taken", "failed"):
            self._close(line == "taken")
            return None
        size, launch, argument, offset, pointer_offset, symbol = line.split(" ", 5)
        kernel = function_name(symbol)
        asked = Snapshot(self._kept.next_id, kernel, int(launch), int(argument), int(offset), int(pointer_offset), int(size))
        if not self._is_wanted(asked):
            return NO_MEMORY
        address = self._allocated(asked.size_bytes)
        if address is None:
            self.left_out.add(kernel)
            return NO_MEMORY
        self._kept.next_id += 1
        self._kept.places[asked.id] = address, asked.size_bytes
        self._given = asked
        return self._driver.share(address).hex()

    def _is_wanted(self, asked: Snapshot) -> bool:
        """Whether its kernel is in question, and does not say that it only reads what the argument points to."""
        kernel = unseen_kernel(asked.kernel)
        if kernel is None or kernel.qualified_name not in self._kernels:
            return False
        types = [parameter.type for parameter in kernel.parameters]  # none where the name is a C function's
        return asked.argument >= len(types) or not types[asked.argument].endswith(" const*")

    def _allocated(self, size_bytes: int) -> Address | None:
        free, total = self._driver.memory()
        try:
            return self._driver.allocate(max(size_bytes, _LEAST_BYTES)) if size_bytes + total * _SPARE_SHARE <= free else None
        except DeviceError as error:
            if not error.is_out_of_memory:
                raise
            return None

    def _close(self, is_taken: bool) -> None:
        given, self._given = self._given, None
        if given is None:
            return
        key = given.kernel, given.launch, given.argument, given.offset_bytes
        before = self.snapshots.pop(key, None) if is_taken else given  # a second process of the program's, or a second attempt
        if before is not None:
            self._driver.free(self._kept.places.pop(before.id)[0])
        if is_taken:
            self.snapshots[key] = given
        else:
            self.left_out.add(given.kernel)


def compare_snapshots(state: GpuState, request: CompareRequest) -> CompareReply:
    """Where the pairs differ most. Raises CannotAnswerError where a snapshot is gone, DeviceError."""
    compare = state.helper(request.helpers, "kernelopt_differences")
    kept = state.part(_Kept, _Kept)
    found = list[SnapshotDifference]()
    for pair in request.pairs:
        (a, size), (b, other) = kept.place(pair.a), kept.place(pair.b)
        size = min(size, other)
        count = math.ceil(size / _PIECE_BYTES)
        answer = state.driver.allocate(count * _NUMBERS * 8)
        try:
            arguments = (u64(a), u64(b), u64(size), u64(_PIECE_BYTES), u32(_KINDS[pair.kind]), u64(answer))
            state.driver.launch(state.driver.prepare(compare, LaunchConfig(Dim3(count), Dim3(_THREADS)), arguments))
            numbers = struct.unpack(f"<{count * _NUMBERS}d", state.driver.read(answer, count * _NUMBERS * 8))
        finally:
            state.driver.free(answer)
        found.append(_difference(numbers, size))
    return CompareReply(tuple(found))


def _difference(numbers: tuple[float, ...], size_bytes: int) -> SnapshotDifference:
    counts = numbers[::_NUMBERS]
    chosen = set[int]()
    for which in range(_NUMBERS):
        values = numbers[which::_NUMBERS]
        most = sorted((i for i, value in enumerate(values) if value > 0), key=lambda i: -values[i])
        chosen.update(most[:_MOST_PIECES])
    pieces = tuple((i * _PIECE_BYTES, min(_PIECE_BYTES, size_bytes - i * _PIECE_BYTES)) for i in sorted(chosen))
    return SnapshotDifference(int(sum(counts)), pieces)


def read_snapshots(state: GpuState, request: ReadRequest) -> ReadReply:
    """Raises CannotAnswerError where a snapshot is gone, DeviceError, OSError where a file cannot be written."""
    kept = state.part(_Kept, _Kept)
    blobs = list[str]()
    for piece in request.pieces:
        address, size = kept.place(piece.snapshot)
        data = state.driver.read(Address(address + piece.offset_bytes), max(0, min(piece.size_bytes, size - piece.offset_bytes)))
        blobs.append(hashlib.sha256(data).hexdigest())
        (request.out / blobs[-1]).write_bytes(data)
    return ReadReply(tuple(blobs))


def free_snapshots(state: GpuState, request: FreeRequest) -> Nothing:
    kept = state.part(_Kept, _Kept)
    for snapshot in request.ids:
        if snapshot in kept.places:
            state.driver.free(kept.places.pop(snapshot)[0])
    return Nothing()


@contextmanager
def _opened(pipe: Path) -> Generator[int]:
    """Both ways, so that neither opening nor reading waits for the program or ends with it."""
    descriptor = os.open(pipe, os.O_RDWR | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _lines(pipe: int, end_s: float) -> Iterator[str]:
    """Lines as they come, until the time is up."""
    waiting = b""
    while select.select([pipe], [], [], max(0.0, end_s - time.monotonic()))[0]:
        *whole, waiting = (waiting + os.read(pipe, _LINE_BYTES)).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in whole)
