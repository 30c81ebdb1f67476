"""How long a Region takes in both programs as they are: run in turn on the GPU, nothing recorded but time stamps.

From the start of its first launch to the end of its last one, so that what lies between counts too: copies, fills, waits of the host, time
in which nothing runs. Example::

    spans = await program_spans(job, clock, found, a, b)     # Comparison: FASTER 1.43x; LabFailure where it cannot be timed
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence

from assistant.cuda.same_names import without_file
from assistant.engine.job import Job
from assistant.engine.judge.region import ProgramRegion
from assistant.measure.paired import aa_half_width_of, pairs_of
from assistant.measure.statistics import WeightedPairs, compare_pairs
from assistant.model.comparison import Comparison
from assistant.model.recording import Recording
from assistant.model.timing import Block
from assistant.ports.lab import LabFailure, Program, Timing
from assistant.record import Record
from assistant.workload.regions import OrderedLaunch
from assistant.workload.select import kernel_name

__all__ = ["program_spans", "span_s"]

_BLOCKS = 5
"""Of four runs each: the fewest that carry a 95 % interval."""
_LONGEST_BLOCK_S = 24.0
"""Programs that take longer are not run twenty times."""
_METHOD = (
    "both programs run in turn, their code loaded beforehand, CUPTI's time stamps from the start of the first launch to the end of the "
    "last one; n={} blocks of ABBA"
)


async def program_spans(job: Job, clock: Timing, found: ProgramRegion, a: Program, b: Program) -> Comparison | LabFailure:
    """Over all repetitions of the Region. A failure says why the programs cannot be timed."""
    region, seed = found.region, job.seeds[-1]
    sides = {
        "A": _Side(a, found.before, region.before, region.step[0], region.count),
        "B": _Side(b, found.after, region.after, region.step[1], region.count),
    }
    first = await _runs(job, clock, sides, "AB")  # builds both
    if isinstance(first, LabFailure):
        return first
    order = random.Random(seed)  # noqa: S311 which goes first, no secret
    blocks = list[Block]()
    for _ in range(_BLOCKS):
        start_s, letters = time.monotonic(), order.choice(("ABBA", "BAAB"))
        times = await _runs(job, clock, sides, letters)
        if isinstance(times, LabFailure):
            return times
        blocks.append(Block(letters, times))
        if time.monotonic() - start_s > _LONGEST_BLOCK_S:
            return LabFailure("unsupported", f"four runs take more than {_LONGEST_BLOCK_S:g} s", "")
    pairs = WeightedPairs(found.name, float(region.count), pairs_of(blocks))
    return compare_pairs((pairs,), aa_half_width_of(blocks, seed), seed, _METHOD.format(_BLOCKS))


def span_s(recording: Recording, launches: Sequence[OrderedLaunch], chosen: Sequence[int], step: int, count: int) -> float | None:
    """Seconds of all repetitions together; None where the program did not launch what it did when it was recorded.

    ``chosen``: launches of the first repetition, by their place in ``launches``; ``step``: launches from one repetition to the next.
    """
    started = [one for one in recording.steps or () if one.kind == "launch"]
    names = [kernel_name(recording.shape_counts[one.shape].kernel) for one in started]
    if names != [kernel_name(without_file(launch.kernel)) for launch in launches]:  # the GPU's records name no files
        return None
    total_ns = 0
    for number in range(count):
        within = [started[index + number * step] for index in chosen]
        begins = [one.start_ns for one in within if one.start_ns is not None]
        ends = [one.end_ns for one in within if one.end_ns is not None]
        if len(begins) < len(within) or len(ends) < len(within):
            return None
        total_ns += max(ends) - min(begins)
    return total_ns * 1e-9


class _Side(Record):
    """One program, and where the Region is in it."""

    program: Program
    launches: tuple[OrderedLaunch, ...]
    chosen: tuple[int, ...]
    step: int
    count: int


async def _runs(job: Job, clock: Timing, sides: Mapping[str, _Side], letters: str) -> tuple[float, ...] | LabFailure:
    """Seconds of the Region in one run after the other."""
    times = list[float]()
    for letter in letters:
        side = sides[letter]
        run = await clock.timeline(side.program, job.limits)
        if isinstance(run, LabFailure):
            return run
        if run.recording is None or run.exit_status != 0:
            return LabFailure("bad_status", f"{letter}'s program did not end with status 0 on the GPU", "")
        span = span_s(run.recording, side.launches, side.chosen, side.step, side.count)
        if span is None:
            return LabFailure("unsupported", f"{letter}'s program launched other kernels than when it was recorded", "")
        times.append(span)
    return tuple(times)
