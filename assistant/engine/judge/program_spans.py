"""How long a Region takes in both programs as they are: run in turn on the GPU, nothing recorded but time stamps.

From the start of its first step to the end of its last one, so that what lies between counts too: copies between host and device, waits of
the host, time in which nothing runs. The same runs show how long all that main does on the GPU takes, from its first step to its last.
Example::

    spans = await program_spans(job, clock, found, a, b)     # LabFailure where it cannot be timed
    spans.region, spans.whole                                # FASTER 118x; FASTER 4.9x
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping, Sequence

from assistant.cuda.same_names import without_file
from assistant.engine.job import Job
from assistant.engine.judge.region import ProgramRegion
from assistant.measure.paired import aa_half_width_of, pairs_of
from assistant.measure.statistics import WeightedPairs, compare_pairs
from assistant.model.comparison import Comparison
from assistant.model.recording import WORK_KINDS, DeviceStep, Recording
from assistant.model.timing import Block
from assistant.ports.lab import LabFailure, Program, Timing
from assistant.record import Record
from assistant.workload.regions import OrderedStep
from assistant.workload.select import kernel_name

__all__ = ["ProgramSpans", "program_spans", "span_s", "whole_span_s"]

_BLOCKS = 5
"""Blocks of four runs each: the fewest that carry a 95 % interval."""
_LONGEST_BLOCK_S = 24.0
"""Programs that take longer are not run twenty times."""
_METHOD = (
    "both programs run in turn, their code loaded beforehand, CUPTI's time stamps from the start of the first step to the end of the "
    "last one; n={} blocks of ABBA"
)


class ProgramSpans(Record):
    """Both programs compared over the Region, and over all that they do on the GPU."""

    region: Comparison
    whole: Comparison
    region_s: tuple[float, float]
    """Medians of A and of B, all repetitions together."""
    whole_s: tuple[float, float]


async def program_spans(job: Job, clock: Timing, found: ProgramRegion, a: Program, b: Program) -> ProgramSpans | LabFailure:
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
    blocks, wholes = list[Block](), list[Block]()
    for _ in range(_BLOCKS):
        start_s, letters = time.monotonic(), order.choice(("ABBA", "BAAB"))
        times = await _runs(job, clock, sides, letters)
        if isinstance(times, LabFailure):
            return times
        blocks.append(Block(letters, tuple(region_s for region_s, _ in times)))
        wholes.append(Block(letters, tuple(whole_s for _, whole_s in times)))
        if time.monotonic() - start_s > _LONGEST_BLOCK_S:
            return LabFailure("unsupported", f"four runs take more than {_LONGEST_BLOCK_S:g} s", "")
    region, whole = (_compared(found.name, each, float(region.count), seed) for each in (blocks, wholes))
    return ProgramSpans(region, whole, _medians_s(blocks), _medians_s(wholes))


def _compared(name: str, blocks: Sequence[Block], weight: float, seed: int) -> Comparison:
    pairs = WeightedPairs(name, weight, pairs_of(blocks))
    return compare_pairs((pairs,), aa_half_width_of(blocks, seed), seed, _METHOD.format(_BLOCKS))


def _medians_s(blocks: Sequence[Block]) -> tuple[float, float]:
    return statistics.median(time_s for block in blocks for time_s in block.a_s), statistics.median(
        time_s for block in blocks for time_s in block.b_s
    )


def span_s(recording: Recording, steps: Sequence[OrderedStep], chosen: Sequence[int], step: int, count: int) -> float | None:
    """Seconds of all repetitions together; None where the program did not do what it did when it was recorded.

    ``chosen``: steps of the first repetition, by their place in ``steps``; ``step``: steps from one repetition to the next.
    """
    at = _as_recorded(recording, steps, WORK_KINDS)
    if at is None and steps[chosen[0]].is_launch and steps[chosen[-1]].is_launch:
        at = _as_recorded(recording, steps, frozenset({"launch"}))
    if at is None:
        return None
    total_ns = 0
    for number in range(count):
        within = [at[index + number * step] for index in chosen if index + number * step in at]
        taken_ns = _from_first_to_last_ns(within)
        if taken_ns is None:
            return None
        total_ns += taken_ns
    return total_ns * 1e-9


def whole_span_s(recording: Recording) -> float | None:
    """Seconds from the start of the first launch, copy or fill to the end of the last one; None where a time is missing."""
    taken_ns = _from_first_to_last_ns([step for step in recording.steps or () if step.kind in WORK_KINDS])
    return None if taken_ns is None else taken_ns * 1e-9


def _from_first_to_last_ns(steps: Sequence[DeviceStep]) -> int | None:
    begins = [step.start_ns for step in steps if step.start_ns is not None]
    ends = [step.end_ns for step in steps if step.end_ns is not None]
    return max(ends) - min(begins) if steps and len(begins) == len(ends) == len(steps) else None


def _as_recorded(recording: Recording, steps: Sequence[OrderedStep], kinds: frozenset[str]) -> dict[int, DeviceStep] | None:
    """What ran, by its place in ``steps``, looking at these kinds alone; None where they do not agree. A driver makes copies of its own."""
    ran = [one for one in recording.steps or () if one.kind in kinds]
    wanted = [(place, one) for place, one in enumerate(steps) if one.kind in kinds]
    kernels = [recording.shape_counts[one.shape].kernel if one.kind == "launch" else "" for one in ran]
    names = [_name(one.kind, kernel) for one, kernel in zip(ran, kernels, strict=True)]
    if names != [_name(one.kind, one.kernel) for _, one in wanted]:
        return None
    return {place: one for (place, _), one in zip(wanted, ran, strict=True)}


def _name(kind: str, kernel: str) -> str:
    """The GPU's records name no files."""
    return kernel_name(without_file(kernel)) if kind == "launch" else kind


class _Side(Record):
    """One program, and where the Region is in it."""

    program: Program
    steps: tuple[OrderedStep, ...]
    chosen: tuple[int, ...]
    step: int
    count: int


async def _runs(job: Job, clock: Timing, sides: Mapping[str, _Side], letters: str) -> tuple[tuple[float, float], ...] | LabFailure:
    """Seconds of the Region, and of all that is done on the GPU, in one run after the other."""
    times = list[tuple[float, float]]()
    for letter in letters:
        side = sides[letter]
        run = await clock.timeline(side.program, job.limits)
        if isinstance(run, LabFailure):
            return run
        if run.recording is None or run.exit_status != 0:
            return LabFailure("bad_status", f"{letter}'s program did not end with status 0 on the GPU", "")
        region_s = span_s(run.recording, side.steps, side.chosen, side.step, side.count)
        whole_s = whole_span_s(run.recording)
        if region_s is None or whole_s is None:
            return LabFailure("unsupported", f"{letter}'s program did other things on the GPU than when it was recorded", "")
        times.append((region_s, whole_s))
    return tuple(times)
