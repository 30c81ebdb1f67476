"""Both programs as they are, run in turn on the GPU with nothing recorded but time stamps.

Example::

    blocks = await timed_in_turn(clock, limits, seed, {"A": TimedProgram(a, read_a), "B": TimedProgram(b, read_b)})
    comparison_of("scale → scale_add", blocks[0], 1.0, seed, "from the first step to the last")     # FASTER 2.4x
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Mapping

from assistant.measure.paired import aa_half_width_of, pairs_of
from assistant.measure.statistics import WeightedPairs, compare_pairs
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.recording import Recording
from assistant.model.timing import Block
from assistant.ports.lab import LabFailure, Program, RunLimits, Timing
from assistant.record import Record

__all__ = ["TimedProgram", "comparison_of", "method_of_runs", "timed_in_turn"]

_BLOCKS = 5
"""Blocks of four runs each: the fewest that carry a 95 % interval, as wide as all five."""
_MOST_BLOCKS = 12
"""Where those leave it open and `_LONGEST_S` is enough: a 95 % interval of twelve leaves out one run in six that something else held up."""
_LONGEST_S = 60.0
"""Of all twelve."""
_LONGEST_BLOCK_S = 24.0
"""Programs that take longer are not run twenty times."""


class TimedProgram(Record):
    """One of the two programs, and what is read from a run of it."""

    program: Program
    read: Callable[[Recording], tuple[float, ...] | None]
    """Seconds of each thing in question, without the last ones where a run does not show them; None where the program did not do what it
    did when it was recorded."""


async def timed_in_turn(
    clock: Timing, limits: RunLimits, seed: int, sides: Mapping[str, TimedProgram], deciding: Collection[int] | None = None
) -> tuple[tuple[Block, ...], ...] | LabFailure:
    """For each thing in question that every run shows its blocks, seconds. A failure says why the programs cannot be timed.

    ``sides``: by ``A`` and ``B``; ``deciding``: a verdict rests on the last of these things, by number from 0, that every run shows; None:
    on all.

    There are two looks at most: five blocks, and twelve where five leave one of these open. Two looks call equal programs faster at most
    twice as often as one does; the margin, three times the half-width of A against A, is what keeps that rare.
    """
    first = await _runs(clock, limits, sides, "AB")  # builds both
    if isinstance(first, LabFailure):
        return first
    order = random.Random(seed)  # noqa: S311 which goes first, no secret
    start_s, blocks = time.monotonic(), await _blocks(clock, limits, sides, order, _BLOCKS)
    if isinstance(blocks, LabFailure):
        return blocks
    decisive = blocks if deciding is None else [blocks[max(number for number in deciding if number < len(blocks))]]
    is_short = (time.monotonic() - start_s) * _MOST_BLOCKS / _BLOCKS <= _LONGEST_S
    if is_short and any(comparison_of("", each, 1.0, seed, "").outcome is SpeedOutcome.INCONCLUSIVE for each in decisive):
        more = await _blocks(clock, limits, sides, order, _MOST_BLOCKS - _BLOCKS)
        return more if isinstance(more, LabFailure) else tuple(one + other for one, other in zip(blocks, more, strict=False))
    return blocks


async def _blocks(
    clock: Timing, limits: RunLimits, sides: Mapping[str, TimedProgram], order: random.Random, count: int
) -> tuple[tuple[Block, ...], ...] | LabFailure:
    """So many, for each thing in question."""
    blocks = list[list[Block]]()
    for _ in range(count):
        start_s, letters = time.monotonic(), order.choice(("ABBA", "BAAB"))
        times = await _runs(clock, limits, sides, letters)
        if isinstance(times, LabFailure):
            return times
        blocks.append([Block(letters, each) for each in zip(*times, strict=False)])
        if time.monotonic() - start_s > _LONGEST_BLOCK_S:
            return LabFailure("unsupported", f"four runs take more than {_LONGEST_BLOCK_S:g} s", "")
    return tuple(zip(*blocks, strict=False))


def comparison_of(name: str, blocks: tuple[Block, ...], weight: float, seed: int, what: str) -> Comparison:
    """``what``: was read, in words."""
    pairs = WeightedPairs(name, weight, pairs_of(blocks))
    return compare_pairs((pairs,), aa_half_width_of(blocks, seed), seed, method_of_runs(what, len(blocks)))


def method_of_runs(what: str, count: int) -> str:
    """How the times were taken. ``what``: was read, in words; ``count``: blocks."""
    first = f", as the first {_BLOCKS} left it open" if count > _BLOCKS else ""
    return f"both programs run in turn, their code loaded beforehand, CUPTI's time stamps {what}; n={count} blocks of ABBA{first}"


async def _runs(
    clock: Timing, limits: RunLimits, sides: Mapping[str, TimedProgram], letters: str
) -> tuple[tuple[float, ...], ...] | LabFailure:
    """What is read from one run after the other."""
    runs = await clock.timelines([sides[letter].program for letter in letters], limits)
    if isinstance(runs, LabFailure):
        return runs
    times = list[tuple[float, ...]]()
    for letter, run in zip(letters, runs, strict=True):
        if run.recording is None or run.exit_status != 0:
            return LabFailure("bad_status", f"{letter}'s program did not end with status 0 on the GPU", "")
        read = sides[letter].read(run.recording)
        if read is None:
            return LabFailure("unsupported", f"{letter}'s program did other things on the GPU than when it was recorded", "")
        times.append(read)
    return tuple(times)
