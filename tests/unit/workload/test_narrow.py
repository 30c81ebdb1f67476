"""Buffers of a recorded launch cut to the memory that was asked for."""

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.workload.narrow import Extent, NarrowedRecording, narrowed

BASE = 0x7000
CONTENTS = {"a": bytes(range(64)), "b": bytes(range(100, 164))}
INTO_ITSELF = (PointerField(16, 0, 40), PointerField(56, 0, 8))
"""The first stands in the memory that is reached, the second behind it: a word that looks like a pointer."""


def check(offsets: tuple[int, ...], *extents: tuple[int, int], pointers: tuple[PointerField, ...] = ()) -> NarrowedRecording:
    """A launch with one pointer for each offset into a segment of 64 bytes, and the (offset, bytes) that were asked for."""
    arguments = tuple(RecordedArgument(8, "", (PointerField(0, 0, offset),)) for offset in offsets)
    launch = RecordedLaunch(0, "k", LaunchConfig(Dim3(1), Dim3(1), 0), arguments, (BufferState(0, "a", "b"),), "", 0)
    segment = RecordedBuffer(0, 64, BASE, None, "device", pointers, "float")
    return narrowed(Recording((segment,), (launch,), (), ()), CONTENTS.__getitem__, [Extent(BASE + at, size) for at, size in extents])


def parts(made: NarrowedRecording) -> list[tuple[int, bytes, bytes]]:
    """(address, contents before, after) of each buffer."""
    states = {state.buffer: state for state in made.recording.launches[0].buffers}
    return [
        (buffer.address - BASE, made.blobs[states[buffer.id].before], made.blobs[states[buffer.id].after or ""])
        for buffer in made.recording.buffers
    ]


def test_each_array_is_a_buffer_of_its_own() -> None:
    made = check((24, 0), (0, 8), (16, 16), (48, 8))
    assert parts(made) == [(0, bytes(range(8)), bytes(range(100, 108))), (16, bytes(range(16, 32)), bytes(range(116, 132)))]
    first, second = (argument.pointers[0] for argument in made.recording.launches[0].arguments)
    assert (first.buffer, first.buffer_offset_bytes, second.buffer, second.buffer_offset_bytes) == (2, 8, 1, 0)
    assert {buffer.element_type for buffer in made.recording.buffers} == {None}, "the segment's type may be of another array"


def test_a_segment_stays_whole_where_a_pointer_leads_into_no_known_array() -> None:
    made = check((0, 40), (0, 8), (16, 16))
    assert [buffer.id for buffer in made.recording.buffers] == [0] and not made.blobs
    assert [buffer.id for buffer in check((0,), (0, 128)).recording.buffers] == [0], "an array is not larger than its segment"


def test_pointers_inside_an_array_are_followed_and_those_next_to_it_are_none() -> None:
    made = check((8,), (8, 16), (40, 8), pointers=INTO_ITSELF)
    assert [(buffer.address - BASE, buffer.size_bytes) for buffer in made.recording.buffers] == [(8, 16), (40, 8)]
    (inner,) = made.recording.buffers[0].pointers
    assert (inner.offset_bytes, inner.buffer, inner.buffer_offset_bytes) == (8, made.recording.buffers[1].id, 0)
    assert made.recording.buffers[1].pointers == ()
