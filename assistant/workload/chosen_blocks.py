"""Which blocks of a launch are run where all of them take too long: those where mistakes are likeliest, and others spread over the grid.

Example::

    spread_blocks(Dim3(65536, 1, 1), 8)                                        # (0, 65535, 1, 65534, 32767, 65535, …)
    covering_blocks((0, 7), Dim3(8, 1, 1), Dim3(2, 1, 1))                      # (0, 1): those that do the work of blocks 0 and 7 of 8
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from assistant.model.launch import Dim3
from assistant.model.recording import RecordedLaunch
from assistant.workload.recordings import NewCase

__all__ = ["chosen_in", "covering_blocks", "spread_blocks", "threads_run", "with_chosen_blocks", "wrapped_blocks"]

_GOLDEN_SECTION = 0.6180339887498949
_FIRST_POWER, _POWERS_END = 8, 31
"""Blocks at powers of two are where the number of an element begins to need one bit more."""
_MOST_COVERING = 1 << 12


def spread_blocks(grid: Dim3, count: int) -> tuple[int, ...]:
    """Linear numbers of at most ``count`` blocks, in order: corners of the grid and their neighbours first, powers of two, then evenly."""
    found: dict[int, None] = {}
    for block in _candidates(grid):
        found.setdefault(block)
        if len(found) >= min(count, grid.count):
            break
    return tuple(sorted(found))


def _candidates(grid: Dim3) -> Iterator[int]:
    ends = [dict.fromkeys((0, size - 1)) for size in grid.axes]
    yield from (_linear(grid, *corner) for corner in product(*ends))
    last = grid.count - 1
    yield from (block for block in (1, last - 1, last // 2, 65535, 65536) if 0 <= block <= last)
    evenly = _evenly(grid.count)
    powers = [block for power in range(_FIRST_POWER, _POWERS_END) for block in ((1 << power) - 1, 1 << power) if block <= last]
    for power in powers:
        yield power
        yield next(evenly)
    yield from evenly


def _evenly(count: int) -> Iterator[int]:
    place = 0.5
    for _ in range(4 * count):
        place = (place + _GOLDEN_SECTION) % 1.0
        yield int(place * count)
    yield from range(count)


def _linear(grid: Dim3, x: int, y: int, z: int) -> int:
    return (z * grid.y + y) * grid.x + x


def chosen_in(case: NewCase) -> tuple[int, ...]:
    """The blocks that a case's first launch is confined to; empty where all run."""
    return case.recording.launches[0].chosen_blocks


def threads_run(launch: RecordedLaunch) -> int:
    """Threads of the blocks that a replay of the launch runs."""
    return len(launch.chosen_blocks) * launch.config.block.count if launch.chosen_blocks else launch.config.thread_count


def with_chosen_blocks(case: NewCase, blocks: tuple[int, ...]) -> NewCase:
    """``case`` (of one launch) with only these blocks run."""
    launches = tuple(replace(launch, chosen_blocks=blocks) for launch in case.recording.launches)
    return replace(case, recording=replace(case.recording, launches=launches))


def covering_blocks(blocks: Sequence[int], own: Dim3, other: Dim3) -> tuple[int, ...]:
    """The blocks of a grid of another size that stand where ``blocks`` of ``own`` stand; none where those would be too many."""
    found: set[int] = set()
    for block in blocks:
        at = block % own.x, block // own.x % own.y, block // own.x // own.y
        axes = zip(at, own.axes, other.axes, strict=True)
        spans = [_span(place, mine, theirs) for place, mine, theirs in axes]
        found.update(_linear(other, *place) for place in product(*spans))
        if len(found) > _MOST_COVERING:
            return ()
    return tuple(sorted(found))


def _span(place: int, mine: int, theirs: int) -> range:
    """Places of an axis with ``theirs`` blocks that lie over one place of the same axis with ``mine``."""
    most, least = max(mine, theirs), min(mine, theirs)
    times = -(-most // least)
    if -(-most // times) == least:  # each block does the work of so many: the last one may have less of it
        return range(place // times, place // times + 1) if mine >= theirs else range(place * times, min((place + 1) * times, theirs))
    first, end = place * theirs // mine, -(-(place + 1) * theirs // mine)
    return range(max(first - 1, 0), min(end + 1, theirs))


def wrapped_blocks(blocks: Sequence[int], other: Dim3) -> tuple[int, ...]:
    """The blocks of a smaller grid that come to stand where ``blocks`` stand if all of it moves on in a loop over the grid."""
    return tuple(sorted({block % other.count for block in blocks}))
