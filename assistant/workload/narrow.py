"""A recorded launch with its buffers cut to what was asked for, where an allocator gave out parts of larger allocations.

A recording knows the driver's allocations. PyTorch takes those in segments of at least 2 MiB and hands out parts, CuPy parts of what was
given back: without their extents two tensors are one buffer, of no one type, and a read behind a tensor is a read inside it. A buffer is
cut only where every pointer into it leads into a known extent; all others stay whole. Pure. Example::

    narrowed(recording, blob, (Extent(0x7f00_0200, 4000), Extent(0x7f00_1200, 4000)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.model.recording import BufferState, PointerField, RecordedBuffer, RecordedLaunch, Recording
from assistant.record import Record
from assistant.workload.recordings import blob_name

__all__ = ["Extent", "NarrowedRecording", "narrowed"]


class Extent(Record, order=True):
    """Consecutive memory that a program asked for."""

    address: int
    size_bytes: int

    def holds(self, address: int) -> bool:
        return 0 <= address - self.address < self.size_bytes

    def overlaps(self, other: Extent) -> bool:
        return self.address < other.address + other.size_bytes and other.address < self.address + self.size_bytes


class NarrowedRecording(Record):
    recording: Recording
    blobs: dict[str, bytes]
    """Contents of the new buffers by name; those of the others are where they were."""


class _Part(Record):
    id: int
    whole: RecordedBuffer
    extent: Extent

    @property
    def offset_bytes(self) -> int:
        return self.extent.address - self.whole.address

    def of(self, data: bytes) -> bytes:
        return data[self.offset_bytes : self.offset_bytes + self.extent.size_bytes]


def narrowed(recording: Recording, blob: Callable[[str], bytes], extents: Sequence[Extent]) -> NarrowedRecording:
    """``recording``: of a single launch, before and after it; ``blob`` gives contents by name."""
    (launch,) = recording.launches
    parts = _parts(recording, launch, sorted(extents))
    if not parts:
        return NarrowedRecording(recording, {})
    cut = {part.whole.id for part in parts}
    blobs: dict[str, bytes] = {}
    states = [state for state in launch.buffers if state.buffer not in cut]
    for part in parts:
        whole = next(state for state in launch.buffers if state.buffer == part.whole.id)
        states.append(_state(part, whole, blob, blobs))
    buffers = [_redirected(buffer, parts) for buffer in recording.buffers if buffer.id not in cut]
    buffers += [_redirected(_buffer(part), parts) for part in parts]
    arguments = tuple(replace(a, pointers=_pointers(a.pointers, parts)) for a in launch.arguments)
    changed = replace(launch, arguments=arguments, buffers=tuple(states))
    return NarrowedRecording(replace(recording, buffers=tuple(buffers), launches=(changed,)), blobs)


def _parts(recording: Recording, launch: RecordedLaunch, extents: Sequence[Extent]) -> tuple[_Part, ...]:
    """The extents that the launch reaches by its arguments and by pointers inside what these reach, in buffers that can be cut."""
    by_id = {buffer.id: buffer for buffer in recording.buffers}
    found: dict[Extent, RecordedBuffer] = {}
    kept_whole: set[int] = set()
    waiting = [pointer for argument in launch.arguments for pointer in argument.pointers]
    seen: set[PointerField] = set()
    while waiting:
        pointer = waiting.pop()
        if pointer in seen:
            continue
        seen.add(pointer)
        buffer = by_id[pointer.buffer]
        extent = _extent_at(buffer, pointer.buffer_offset_bytes, extents)
        if extent is None:
            kept_whole.add(buffer.id)
        else:
            found[extent] = buffer
        waiting += [p for p in buffer.pointers if extent is None or extent.holds(buffer.address + p.offset_bytes)]
    usable = [(extent, buffer) for extent, buffer in sorted(found.items(), key=lambda item: item[0]) if buffer.id not in kept_whole]
    first = max(by_id, default=-1) + 1
    return tuple(_Part(first + index, buffer, extent) for index, (extent, buffer) in enumerate(usable))


def _extent_at(buffer: RecordedBuffer, offset_bytes: int, extents: Sequence[Extent]) -> Extent | None:
    """The one that holds the place, if it lies within the buffer."""
    address, end = buffer.address + offset_bytes, buffer.address + buffer.size_bytes
    held = next((extent for extent in extents if extent.holds(address)), None)
    is_within = held is not None and held.address >= buffer.address and held.address + held.size_bytes <= end
    return held if is_within and buffer.symbol is None else None


def _state(part: _Part, whole: BufferState, blob: Callable[[str], bytes], blobs: dict[str, bytes]) -> BufferState:
    def kept(name: str) -> str:
        data = part.of(blob(name))
        blobs[blob_name(data)] = data
        return blob_name(data)

    after = None if whole.after is None else kept(whole.after)
    return BufferState(part.id, kept(whole.before), after, whole.is_poisoned)


def _buffer(part: _Part) -> RecordedBuffer:
    """Its type is open: that of the whole may be of another part."""
    inside = (p for p in part.whole.pointers if 0 <= p.offset_bytes - part.offset_bytes < part.extent.size_bytes)
    pointers = tuple(replace(p, offset_bytes=p.offset_bytes - part.offset_bytes) for p in inside)
    return RecordedBuffer(part.id, part.extent.size_bytes, part.extent.address, None, part.whole.space, pointers)


def _redirected(buffer: RecordedBuffer, parts: Sequence[_Part]) -> RecordedBuffer:
    return replace(buffer, pointers=_pointers(buffer.pointers, parts))


def _pointers(pointers: tuple[PointerField, ...], parts: Sequence[_Part]) -> tuple[PointerField, ...]:
    """Into the parts; words of a buffer that look like pointers to memory that was never reached are none."""
    moved: list[PointerField] = []
    for pointer in pointers:
        of_buffer = [part for part in parts if part.whole.id == pointer.buffer]
        address = None if not of_buffer else of_buffer[0].whole.address + pointer.buffer_offset_bytes
        part = next((part for part in of_buffer if address is not None and part.extent.holds(address)), None)
        if part is not None and address is not None:
            moved.append(PointerField(pointer.offset_bytes, part.id, address - part.extent.address))
        elif not of_buffer:
            moved.append(pointer)
    return tuple(moved)
