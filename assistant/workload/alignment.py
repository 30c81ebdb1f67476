"""A launch on buffers that begin where their elements may begin, and nowhere better: what `cudaMalloc` gives is aligned to 256 bytes, a
pointer into the middle of an array or a slice of a tensor is not.

Example::

    [case.origin.values for case in with_shifted(case, {1: "x", 2: "y"}, layouts)]
    # ["x 1 element behind a boundary, y 2", "x 2 elements …", …]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.model.elements import parse_element_type
from assistant.model.recording import PointerField, RecordedLaunch
from assistant.workload.derive import Layouts, contents_of, with_contents
from assistant.workload.recordings import NewCase

__all__ = ["SHIFTED", "shift_count", "with_shifted"]

SHIFTED = "shifted"
"""The kind of these cases."""
_WIDEST_ACCESS_BYTES = 16
"""CUDA C++ Programming Guide, "Device Memory Accesses": a global access is of 1, 2, 4, 8 or 16 bytes, to a multiple of that."""
_STEPS = 3
"""Buffers begin 1, 2 and 3 elements behind a boundary, each a different number in every case; beyond that lies the next boundary for four
bytes."""
_MOST_APART = 3
"""Buffers that are shifted alone, too: a guard may ask for one pointer and not for another."""


def shift_count(case: NewCase, layouts: Layouts) -> int:
    """How many cases ``with_shifted`` makes: only all of them together show that a guard holds."""
    sizes = _element_sizes(case, layouts)
    return (_STEPS if sizes else 0) + (min(len(sizes), _MOST_APART) if len(sizes) > 1 else 0)


def with_shifted(case: NewCase, names: Mapping[int, str], layouts: Layouts) -> Iterator[NewCase]:
    """All its buffers shifted, in three ways, then the first few each alone; none where a type is unknown or as wide as an access."""
    sizes = _element_sizes(case, layouts)
    for first in range(_STEPS if sizes else 0):
        yield _shifted(case, {buffer: 1 + (first + place) % _STEPS for place, buffer in enumerate(sizes)}, sizes, names)
    if len(sizes) > 1:
        for place, buffer in enumerate(list(sizes)[:_MOST_APART]):
            yield _shifted(case, {buffer: 1 + place % _STEPS}, sizes, names)


def _element_sizes(case: NewCase, layouts: Layouts) -> dict[int, int]:
    """Bytes of an element, by buffer; empty where one of the buffers cannot be shifted."""
    sizes: dict[int, int] = {}
    for buffer in case.recording.buffers:
        if buffer.symbol is not None:
            continue
        element = parse_element_type(buffer.element_type or "")
        known = element or layouts.get(buffer.id)
        if known is None or buffer.pointers or known.size_bytes % _WIDEST_ACCESS_BYTES == 0:
            return {}
        sizes[buffer.id] = known.size_bytes
    return sizes


def _shifted(case: NewCase, elements: Mapping[int, int], sizes: Mapping[int, int], names: Mapping[int, str]) -> NewCase:
    """With room in front of the buffers, which the launch does not know of."""
    steps = {buffer: count * sizes[buffer] for buffer, count in elements.items()}
    buffers = tuple(replace(buffer, size_bytes=buffer.size_bytes + steps.get(buffer.id, 0)) for buffer in case.recording.buffers)
    launches = tuple(_launch(launch, steps) for launch in case.recording.launches)
    contents = {buffer: bytes(steps.get(buffer, 0)) + data for buffer, data in contents_of(case).items()}
    words = " and ".join(f"{names.get(buffer, 'a buffer')} {count} element{'s' * (count > 1)}" for buffer, count in elements.items())
    origin = replace(case.origin, kind=SHIFTED, weight=0.0, values=f"{words} behind a boundary")
    return with_contents(replace(case, recording=replace(case.recording, buffers=buffers, launches=launches)), contents, origin)


def _launch(launch: RecordedLaunch, steps: Mapping[int, int]) -> RecordedLaunch:
    arguments = tuple(replace(argument, pointers=tuple(_moved(p, steps) for p in argument.pointers)) for argument in launch.arguments)
    return replace(launch, arguments=arguments)


def _moved(pointer: PointerField, steps: Mapping[int, int]) -> PointerField:
    return replace(pointer, buffer_offset_bytes=pointer.buffer_offset_bytes + steps.get(pointer.buffer, 0))
