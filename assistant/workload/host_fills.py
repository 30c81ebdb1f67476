"""Memory that only the new program fills before a launch: ``cudaMemset(out, 0, …)`` ahead of a kernel that now adds to ``out``.

A replay gives B what A's launch found. Where the two programs differ in that, and B's own host has filled the buffer, B would be blamed
for what it finds there. Example::

    with_host_fills(case, a_recording, pair.a_index, b_recording, pair.b_index)     # the same case, with zeros in that buffer
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assistant.model.recording import RecordedLaunch, Recording
from assistant.workload.derive import with_contents
from assistant.workload.recordings import NewCase, blob_name

__all__ = ["with_host_fills"]

_FILLS = (0x00, 0xFF)
"""Byte values that hosts fill memory with; others are rare and not looked for."""


def with_host_fills(case: NewCase, a: Recording, a_index: int, b: Recording, b_index: int) -> NewCase:
    """``case``, made of launch ``a_index`` of ``a``, with buffers that only ``b`` fills, before its launch ``b_index``, filled so.

    Memory that nothing has written holds zeros, too, where a program is recorded without checks: only a program that fills more than the
    other can have filled it.
    """
    if not _filled_bytes(b) > _filled_bytes(a):
        return case
    sizes = {buffer.id: buffer.size_bytes for buffer in case.recording.buffers}
    filled = {
        mine: bytes([value]) * sizes[mine]
        for mine, theirs in _counterparts(a.launch(a_index), b.launch(b_index))
        if mine in sizes and (value := _fill(b, b_index, theirs)) is not None and _fill(a, a_index, mine) != value
    }
    if not filled or len(case.recording.launches) != 1:
        return case
    made = with_contents(case, filled, case.origin)
    buffers = tuple(replace(one, is_poisoned=one.is_poisoned and one.id not in filled) for one in made.recording.buffers)
    (launch,) = made.recording.launches
    states = tuple(replace(state, is_poisoned=state.is_poisoned and state.buffer not in filled) for state in launch.buffers)
    return replace(made, recording=replace(made.recording, buffers=buffers, launches=(replace(launch, buffers=states),)))


def _filled_bytes(recording: Recording) -> int:
    return sum(each.size_bytes for each in recording.operations or () if each.kind == "fill")


def _counterparts(mine: RecordedLaunch, theirs: RecordedLaunch) -> Iterator[tuple[int, int]]:
    """Buffers that both launches are passed at the same place, to their beginnings."""
    for ours, others in zip(mine.arguments, theirs.arguments, strict=False):
        at = {pointer.offset_bytes: pointer for pointer in others.pointers}
        for pointer in ours.pointers:
            other = at.get(pointer.offset_bytes)
            if other is not None and pointer.buffer_offset_bytes == other.buffer_offset_bytes == 0:
                yield pointer.buffer, other.buffer


def _fill(recording: Recording, index: int, buffer: int) -> int | None:
    """The byte that all of the buffer holds before the launch; None where it holds anything else, or was never written."""
    state = next((state for state in recording.launch(index).buffers if state.buffer == buffer), None)
    if state is None or state.is_poisoned:
        return None
    size_bytes = next(one.size_bytes for one in recording.buffers if one.id == buffer)
    return next((value for value in _FILLS if state.before == blob_name(bytes([value]) * size_bytes)), None)
