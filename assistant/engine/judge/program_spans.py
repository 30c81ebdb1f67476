"""How long a Region takes in both programs as they are: run in turn on the GPU, nothing recorded but time stamps.

From the start of its first step to the end of its last one, so that what lies between counts too: waits of the host, time in which nothing
runs. Copies between host and device that both make alike are left out with the time next to them, where everything runs one after another:
what the link and the host take there is the same in both, and may be a thousand times what the kernels do. Likewise the time next to fills
that both make, where these may stand apart; their own time counts. The same runs show how long all that main does on the GPU takes, from
its first step to its last, and what the fills take. Example::

    spans = await program_spans(job, clock, found, a, b, is_split=True, is_apart=False)     # LabFailure where it cannot be timed
    spans.region, spans.whole                                # FASTER 118x; FASTER 4.9x
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from assistant.cuda.same_names import without_file
from assistant.engine.job import Job
from assistant.engine.judge.in_turn import TimedProgram, comparison_of, timed_in_turn
from assistant.engine.judge.region import ProgramRegion
from assistant.measure.added_times import AddedTimes, added_times
from assistant.model.comparison import Comparison
from assistant.model.recording import WORK_KINDS, DeviceStep, Recording
from assistant.model.timing import Block
from assistant.ports.lab import LabFailure, Program, Timing
from assistant.record import Record
from assistant.workload.regions import OrderedStep
from assistant.workload.select import kernel_name

__all__ = ["ProgramSpans", "program_spans", "span_s", "whole_span_s"]

_OF_DEVICE = frozenset({"launch", "fill"})
"""Kinds of steps that a driver does not make by itself, as it does copies."""
_METHOD = "from the start of the first step to the end of the last one"


class ProgramSpans(Record):
    """Both programs compared over the Region, and over all that they do on the GPU."""

    region: Comparison
    whole: Comparison
    region_s: tuple[float, float]
    """Medians of A and of B, all repetitions together."""
    whole_s: tuple[float, float]
    fills: AddedTimes | None
    """What the Region's own fills take, of one repetition, without any gap; None where the runs do not show them."""
    is_apart: bool
    """Whether the time next to fills that both make is left out of ``region``."""


async def program_spans(
    job: Job, clock: Timing, found: ProgramRegion, a: Program, b: Program, *, is_split: bool, is_apart: bool
) -> ProgramSpans | LabFailure:
    """Over all repetitions of the Region. ``is_split``: without the copies that both make alike; ``is_apart``: without the time next to
    fills that both make, where runs show these and no more of that would be left out of B than of A. A failure says why the programs cannot
    be timed."""
    region, seed = found.region, job.seeds[-1]
    places = found.counted_places if is_split else (region.before, region.after)
    joined = [_pieces(side, frozenset()) for side in places]
    apart = [_pieces(side, fills) for side, fills in zip(places, found.fills_of_both, strict=True)]
    may_be_apart = is_apart and apart != joined and len(apart[1]) - len(joined[1]) <= len(apart[0]) - len(joined[0])
    sides = {
        letter: TimedProgram(program, _Reader(steps, one, other, step, region.count).read)
        for letter, program, steps, one, other, step in zip(
            "AB", (a, b), (found.before, found.after), joined, apart, region.step, strict=True
        )
    }
    timed = await timed_in_turn(clock, job.limits, seed, sides, deciding=(0, 3) if may_be_apart else (0,))
    if isinstance(timed, LabFailure):
        return timed
    with_all, of_whole, *more = timed
    fills, of_region = (more[0], more[1] if may_be_apart else with_all) if more else (None, with_all)
    over_region, over_whole = (comparison_of(found.name, blocks, float(region.count), seed, _METHOD) for blocks in (of_region, of_whole))
    added = None if fills is None else added_times(fills, region.count, seed)
    return ProgramSpans(over_region, over_whole, _medians_s(of_region), _medians_s(of_whole), added, bool(more) and may_be_apart)


def _pieces(places: Sequence[int], alone: frozenset[int]) -> tuple[range, ...]:
    """Places that follow each other, together; those ``alone`` by themselves."""
    known = frozenset(places)
    starts = [place for place in places if place - 1 not in known or {place - 1, place} & alone]
    ends = [place for place in places if place + 1 not in known or {place, place + 1} & alone]
    return tuple(range(start, end + 1) for start, end in zip(starts, ends, strict=True))


class _Reader(Record):
    """What is read from runs of one of the programs."""

    steps: tuple[OrderedStep, ...]
    joined: tuple[range, ...]
    """Pieces of a repetition, as of `span_s`, with what lies between their steps."""
    apart: tuple[range, ...]
    """Pieces without the time next to some fills."""
    step: int
    count: int

    def read(self, recording: Recording) -> tuple[float, ...] | None:
        """Seconds of the Region and of all that is done on the GPU; then of the Region's fills and of the Region in the pieces apart,
        unless its fills are not seen."""
        region_s, whole_s = self._span_s(recording, self.joined), whole_span_s(recording)
        if region_s is None or whole_s is None:
            return None
        fills = tuple(range(place, place + 1) for piece in self.joined for place in piece if self.steps[place].kind == "fill")
        if not fills:
            return region_s, whole_s, 0.0, region_s
        fills_s, apart_s = self._span_s(recording, fills), self._span_s(recording, self.apart)
        return (region_s, whole_s) if fills_s is None or apart_s is None else (region_s, whole_s, fills_s, apart_s)

    def _span_s(self, recording: Recording, pieces: tuple[range, ...]) -> float | None:
        return span_s(recording, self.steps, pieces, self.step, self.count)


def _medians_s(blocks: Sequence[Block]) -> tuple[float, float]:
    return statistics.median(time_s for block in blocks for time_s in block.a_s), statistics.median(
        time_s for block in blocks for time_s in block.b_s
    )


def span_s(recording: Recording, steps: Sequence[OrderedStep], pieces: Sequence[range], step: int, count: int) -> float | None:
    """Seconds of all repetitions together; None where the program did not do what it did when it was recorded.

    ``pieces``: of the first repetition, each from the start of its first step to the end of its last one, by their places in ``steps``;
    ``step``: steps from one repetition to the next.
    """
    at = _as_recorded(recording, steps, WORK_KINDS)
    for kinds in (_OF_DEVICE, frozenset({"launch"})):
        if at is None and all(steps[place].kind in kinds for piece in pieces for place in (piece[0], piece[-1])):
            at = _as_recorded(recording, steps, kinds)
    if at is None:
        return None
    total_ns = 0
    for number in range(count):
        for piece in pieces:
            taken_ns = _from_first_to_last_ns([at[index + number * step] for index in piece if index + number * step in at])
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
