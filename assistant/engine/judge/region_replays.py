"""A Region's launches replayed on the GPU: one repetition of each side, on what its own program had in memory before it.

Replays have no fills: what these put into memory is there because recordings hold it, and the time that they take is added as the programs
themselves show it. Where a launch needs memory that a fill set again behind an earlier one, both sides are replayed in parts. Example::

    replays = await replayed_region(job, clock, found, before, after)        # LabFailure: why they cannot be replayed
    replays.speed(job, spans.fills).comparison                               # FASTER 2.7x, of launches and fills
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.judge.replaying import startable_kernels
from assistant.engine.judge.timed import timing_options
from assistant.engine.judge.timing_verdict import Speed, judge_timing
from assistant.measure.added_times import AddedTimes, in_parts, with_added
from assistant.measure.paired import method_of
from assistant.model.recording import Recording
from assistant.model.timing import PairTiming
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import LabFailure, Program, Timing
from assistant.profile.quantity import format_quantity
from assistant.record import Record
from assistant.workload.between_fills import parts_between_fills
from assistant.workload.regions import launches_of

__all__ = ["Replays", "fills_words", "replayed_region"]

_MOST_LAUNCHES = 32
"""Launches of a version that are replayed together."""
_MOST_PARTS = 8
"""Different parts between fills: each is timed for two seconds at least."""

_Part = tuple[int, ...]
"""Launches (``RecordedLaunch.index``) that are replayed as one call."""
_Parts = tuple[_Part, ...]


class Replays(Record):
    """Both sides' launches as they were timed."""

    timing: PairTiming
    """One case for each of the parts that differ."""
    counts: tuple[int, ...]
    """How often each of them comes in a repetition."""
    name: str
    weight: float

    def speed(self, job: Job, fills: AddedTimes | None) -> Speed:
        """The verdict on a repetition. ``fills``: what its fills take; None where it has none."""
        case = replace(in_parts(self.timing.cases, self.counts), shape=self.name, weight=self.weight)
        case = case if fills is None else with_added(case, fills)
        speed = judge_timing(replace(self.timing, cases=(case,)), None, {}, job.seeds[-1])
        assert speed.comparison is not None
        comparison = replace(speed.comparison, method="; ".join((method_of(self.timing), *self._further_method(fills))))
        return replace(speed, comparison=comparison, findings=(), advice=None, light_ratio=None)

    def _further_method(self, fills: AddedTimes | None) -> tuple[str, ...]:
        number = sum(self.counts)
        parts = (f"replayed in {number} parts, each on what its program had in memory before it",) if number > 1 else ()
        return parts if fills is None else (*parts, f"{fills_words(fills)}, by CUPTI's time stamps in the programs")


def fills_words(fills: AddedTimes) -> str:
    """``fills added at their recorded times, 1.5 µs of A and none of B``."""
    a, b = (format_quantity(time_s, "s") if time_s > 0 else "none" for time_s in (fills.a_s, fills.b_s))
    return f"fills added at their recorded times, {a} of A and {b} of B"


async def replayed_region(job: Job, clock: Timing, found: ProgramRegion, before: Evaluation, after: Evaluation) -> Replays | LabFailure:
    """Timings of one repetition without its fills; a failure says why there are none."""
    a, b = before.counted.recording, after.counted.recording
    assert a is not None and b is not None
    reason = _why_not(found)
    if reason is not None:
        return LabFailure("unsupported", reason, "")
    places = _kept_repetition(found, a, b)
    if places is None:
        return LabFailure("unsupported", "not all of its launches could be recorded", "")
    parts = _parts(found, (a, b), places)
    if isinstance(parts, LabFailure):
        return parts
    a_program = _startable(before, [launch for old, _ in parts for launch in old])
    b_program = _startable(after, [launch for _, new in parts for launch in new])
    cases = tuple((_case(found.name, before, old), _case(found.name, after, new)) for old, new in parts)
    options = replace(timing_options(job, len(cases), is_confirming=True), is_apart=True)
    timing = await clock.time(a_program, b_program, cases, options, job.limits)
    if isinstance(timing, LabFailure):
        return timing
    return Replays(timing, tuple(parts.values()), found.name, float(found.region.count))


def _why_not(found: ProgramRegion) -> str | None:
    a_count, b_count = (sum(step.is_launch for step in side) for side in found.sides)
    if not a_count or not b_count:
        return f"{'B' if a_count else 'A'} launches nothing in it"
    if max(a_count, b_count) > _MOST_LAUNCHES:
        return f"more than {_MOST_LAUNCHES} launches would have to be replayed as one"
    kinds = {step.kind for side in found.counted for step in side} - {"launch"}
    if kinds - {"fill"}:
        return "copies are not replayed"
    if kinds and found.may_overlap:
        return "fills that may overlap other work are not replayed"
    return None


def _kept_repetition(found: ProgramRegion, a: Recording, b: Recording) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Steps of the last repetition that both recordings have wholly: the first ones of a simulation may work on empty fields."""
    region, kept = found.region, [{launch.index for launch in recording.launches} for recording in (a, b)]
    for number in reversed(range(region.count)):
        before = tuple(index + number * region.step[0] for index in region.before)
        after = tuple(index + number * region.step[1] for index in region.after)
        if kept[0].issuperset(launches_of(found.before, before)) and kept[1].issuperset(launches_of(found.after, after)):
            return before, after
    return None


def _parts(
    found: ProgramRegion, recordings: tuple[Recording, Recording], places: tuple[tuple[int, ...], tuple[int, ...]]
) -> dict[tuple[_Part, _Part], int] | LabFailure:
    """What is replayed as one call on either side, and how often that comes: those that do the same on the same memory are one."""
    cut = [parts_between_fills(*each) for each in zip(recordings, (found.before, found.after), places, strict=True)]
    if len(cut[0]) != len(cut[1]):
        message = f"fills that launches need cut A into {_counted(cut[0])} and B into {len(cut[1])}"
        return LabFailure("unsupported", message, "")
    pairs = list(zip(*cut, strict=True))
    alike = [tuple(_work(recording, part) for recording, part in zip(recordings, pair, strict=True)) for pair in pairs]
    first = dict(zip(reversed(alike), reversed(pairs), strict=True))
    if len(first) > _MOST_PARTS:
        return LabFailure("unsupported", f"more than {_MOST_PARTS} different parts between fills would have to be timed", "")
    return {first[work]: count for work, count in Counter(alike).items()}


def _counted(parts: _Parts) -> str:
    return "1 part" if len(parts) == 1 else f"{len(parts)} parts"


def _work(recording: Recording, part: _Part) -> tuple[object, ...]:
    """What decides how long the launches take: kernels, configurations, arguments and what they find in memory."""
    launches = [recording.launch(index) for index in part]
    return tuple((each.kernel, each.config, each.arguments, tuple((one.buffer, one.before) for one in each.buffers)) for each in launches)


def _case(name: str, evaluation: Evaluation, launches: _Part) -> Case:
    run = evaluation.counted.run
    assert run is not None and run.recording_path is not None
    return Case(run.recording_path, launches, CaseOrigin("recorded", name, 0, 1.0, 1.0))


def _startable(evaluation: Evaluation, launches: Sequence[int]) -> Program:
    recording = evaluation.counted.recording
    assert recording is not None
    return startable_kernels(evaluation.version.program, {recording.launch(index).kernel for index in launches})
