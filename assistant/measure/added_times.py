"""Times that are put together: of the parts of one call that are timed one by one, and of what was timed elsewhere, as a program's fills.

Example::

    fills = added_times(blocks_of_runs, count=1, seed=7)      # 1.3 µs of A, 1.3 µs of B, each known to 0.05 µs
    with_added(in_parts(timing.cases, (1, 3)), fills)         # first part + 3 x second part + fills
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from assistant.measure.statistics import Pairs, interval
from assistant.model.timing import Block, CaseTiming
from assistant.record import Record

__all__ = ["AddedTimes", "added_times", "in_parts", "with_added"]


class AddedTimes(Record):
    """What is added to every time of both versions, seconds."""

    a_s: float
    b_s: float
    half_width_s: float
    """Of the 95 % interval of their difference."""


def added_times(blocks: Sequence[Block], count: int, seed: int) -> AddedTimes:
    """Medians of what was read in runs of both programs. ``count``: repetitions that a reading holds; the times are of one."""
    sides = [[statistics.mean(times) / count for times in each] for each in ([b.a_s for b in blocks], [b.b_s for b in blocks])]
    a_s, b_s = (statistics.median(times) for times in sides)
    return AddedTimes(a_s, b_s, math.hypot(*(_half_width_s(times, seed) for times in sides)))


def with_added(case: CaseTiming, added: AddedTimes) -> CaseTiming:
    """The case with both times in each of its slots; what is not known of them makes its interval and its margin wider."""
    times = {"A": added.a_s, "B": added.b_s}
    blocks = (
        replace(block, times_s=tuple(time_s + times[letter] for letter, time_s in zip(block.order, block.times_s, strict=True)))
        for block in case.blocks
    )
    return replace(case, blocks=tuple(blocks), added_half_width_s=math.hypot(case.added_half_width_s, added.half_width_s))


def in_parts(cases: Sequence[CaseTiming], counts: Sequence[int]) -> CaseTiming:
    """One case of which these are the parts, each as often as ``counts`` says, block by block.

    Its method is the one of them that says less of a time.
    """
    first = cases[0]
    if len(cases) == counts[0] == 1:
        return first
    methods = {case.method for case in cases}
    blocks = tuple(_joined(together, counts) for together in zip(*(case.blocks for case in cases), strict=False))
    return replace(
        first,
        blocks=blocks,
        method="graph" if "graph" in methods else first.method,
        launches_per_call=sum(case.launches_per_call * count for case, count in zip(cases, counts, strict=True)),
        is_restored=any(case.is_restored for case in cases),
        seconds=sum(case.seconds for case in cases),
        late_block_count=sum(case.late_block_count for case in cases),
        hot_block_count=sum(case.hot_block_count for case in cases),
        checked_count=sum(case.checked_count for case in cases),
        odd_results=(),  # of one part's buffers, which are not those of another
        notes=tuple(dict.fromkeys(note for case in cases for note in case.notes)),
        unchecked_versions=tuple(sorted({version for case in cases for version in case.unchecked_versions})),
        a_launches=tuple(launch for case, count in zip(cases, counts, strict=True) for launch in case.a_launches * count),
        b_launches=tuple(launch for case, count in zip(cases, counts, strict=True) for launch in case.b_launches * count),
        profiled=None,
        cold_call_count=None,
    )


def _joined(blocks: Sequence[Block], counts: Sequence[int]) -> Block:
    """A block in the first one's order; each of its slots is the sum of the parts' slots of that version, in the order taken."""
    taken = {
        letter: [sum(time_s * count for time_s, count in zip(times, counts, strict=True)) for times in zip(*slots, strict=True)]
        for letter, slots in (("A", [block.a_s for block in blocks]), ("B", [block.b_s for block in blocks]))
    }
    order = blocks[0].order
    return Block(order, tuple(taken[letter].pop(0) for letter in order))


def _half_width_s(times_s: Sequence[float], seed: int) -> float:
    """Half of the 95 % interval of their median; 0 where there is nothing to time."""
    median_s = statistics.median(times_s)
    if min(times_s) <= 0.0:
        return (max(times_s) - min(times_s)) / 2
    known = interval(Pairs(tuple(times_s), (median_s,) * len(times_s)), seed)
    return median_s * (known.high - known.low) / 2
