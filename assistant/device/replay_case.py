"""A case as the GPU needs it: buffers with contents, pointers between them, launches with raw arguments. Pure but for reading files.

Example::

    case = read_case(CaseRequest(folder, (0,)))
    case.launches[0].arguments_at({1: 0x7f0000000000})   # raw bytes of each argument, pointers put in
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assistant.device.gpu_protocol import CaseRequest
from assistant.errors import CannotAnswerError
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedBuffer, RecordedLaunch, Recording
from assistant.record import Record
from assistant.workload.recordings import RecordingReader

__all__ = ["PlacedLaunch", "ReplayBuffer", "ReplayCase", "read_case", "with_pointers"]

_POINTER_BYTES = 8


class ReplayBuffer(Record):
    """One allocation or device symbol that the case's launches can reach."""

    id: int
    size_bytes: int
    symbol: str | None
    contents: bytes
    is_poisoned: bool
    """``contents`` are arbitrary: a pattern stands for them."""
    pointers: tuple[PointerField, ...]
    """To buffers of the case alone."""
    file: Path | None = None
    """Holds ``contents`` and is named by their sha256; None where they are arbitrary, or shorter than the buffer."""


class PlacedLaunch(Record):
    """One launch; its pointers are put in when the buffers have places."""

    kernel: str
    config: LaunchConfig
    arguments: tuple[tuple[bytes, tuple[PointerField, ...]], ...]
    """(raw value as recorded, pointers inside it)."""
    is_cooperative: bool = False
    """All blocks must run at once."""
    cluster: Dim3 | None = None
    """Blocks of a cluster; None: as the kernel was compiled."""

    def arguments_at(self, addresses: Mapping[int, int]) -> tuple[bytes, ...]:
        """Raw values for buffers at ``addresses``. Raises CannotAnswerError for a pointer that leads to none of them."""
        return tuple(with_pointers(value, pointers, addresses) for value, pointers in self.arguments)


class ReplayCase(Record):
    buffers: tuple[ReplayBuffer, ...]
    launches: tuple[PlacedLaunch, ...]

    @property
    def size_bytes(self) -> int:
        return sum(buffer.size_bytes for buffer in self.buffers)

    @property
    def has_inner_pointers(self) -> bool:
        """Whether buffers hold pointers: then they keep their places between repeats."""
        return any(buffer.pointers for buffer in self.buffers)


def read_case(request: CaseRequest) -> ReplayCase:
    """The case with all contents in memory. Raises CannotAnswerError for a recording that lacks something."""
    reader = RecordingReader(request.recording)
    recording = reader.recording
    by_index = {launch.index: launch for launch in recording.launches}
    missing = [index for index in request.launches if index not in by_index]
    if missing:
        raise CannotAnswerError(f"recording {request.recording} holds no launch {missing[0]}", "record the program again")
    launches = [by_index[index] for index in request.launches]
    return ReplayCase(_buffers(reader, recording, launches), tuple(_placed(launch) for launch in launches))


def _buffers(reader: RecordingReader, recording: Recording, launches: list[RecordedLaunch]) -> tuple[ReplayBuffer, ...]:
    """Buffers as they were before the first of the launches that reaches them."""
    first: dict[int, BufferState] = {}
    for launch in launches:
        for state in launch.buffers:
            first.setdefault(state.buffer, state)
    reached = [buffer for buffer in recording.buffers if buffer.id in first]
    return tuple(_buffer(reader, buffer, first[buffer.id], frozenset(first)) for buffer in reached)


def _buffer(reader: RecordingReader, buffer: RecordedBuffer, state: BufferState, reached: frozenset[int]) -> ReplayBuffer:
    is_poisoned = buffer.is_poisoned or state.is_poisoned
    contents = b"" if is_poisoned else reader.blob(state.before)
    pointers = () if is_poisoned else tuple(pointer for pointer in buffer.pointers if pointer.buffer in reached)
    file = reader.path(state.before) if len(contents) == buffer.size_bytes and not is_poisoned else None
    return ReplayBuffer(buffer.id, buffer.size_bytes, buffer.symbol, contents, is_poisoned, pointers, file)


def _placed(launch: RecordedLaunch) -> PlacedLaunch:
    arguments = tuple((bytes.fromhex(argument.data_hex), argument.pointers) for argument in launch.arguments)
    return PlacedLaunch(launch.kernel, launch.config, arguments, launch.is_cooperative, launch.cluster)


def with_pointers(value: bytes, pointers: tuple[PointerField, ...], addresses: Mapping[int, int]) -> bytes:
    """``value`` with the addresses of the buffers that its pointers lead to."""
    if not pointers:
        return value
    changed = bytearray(value)
    for pointer in pointers:
        end = pointer.offset_bytes + _POINTER_BYTES
        if pointer.buffer not in addresses or end > len(changed):
            raise CannotAnswerError("a recorded pointer leads nowhere", "record the program again")
        address = addresses[pointer.buffer] + pointer.buffer_offset_bytes
        changed[pointer.offset_bytes : end] = address.to_bytes(_POINTER_BYTES, "little")
    return bytes(changed)
