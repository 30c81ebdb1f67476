"""Speed where the launches of A and B do not correspond (fused, split, added, or with other arguments) and their order is not known.

All launches are added up: such a sum has no gaps and no copies between them, so it may show that B is slower, and never that it is faster.
Example::

    speed = await summed_speed(job, before, after, "B launches work, which A does not", job.lab.timing)
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.affected import launched_work
from assistant.engine.judge.predicting import KernelPair, predict_speed
from assistant.engine.judge.replaying import startable_kernels
from assistant.engine.judge.timed import timing_options
from assistant.engine.judge.timing_verdict import Speed, judge_timing, without_added_operations
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.recording import Recording
from assistant.model.timing import PairTiming
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import LabFailure, Program, Timing

__all__ = ["summed_speed"]

_MOST_LAUNCHES = 32
"""Launches of a version that are replayed together."""
_SHAPE = "all launches"


async def summed_speed(job: Job, before: Evaluation, after: Evaluation, reason: str, clock: Timing | None) -> Speed:
    """Speed of all launches of kernels that are not the same in both versions; ``reason``: why launches do not correspond."""
    pair = launched_work(before, after)
    predicted = predict_speed((pair,))
    if predicted is None:
        return Speed(None, notes=(f"no speed is reported: {reason}, and launches of both could not be counted",))
    if clock is None:
        return Speed(_never_faster(predicted, before, after, reason))
    timing = await _timed(job, clock, pair, before, after)
    if isinstance(timing, LabFailure):
        untimed = replace(predicted, caveats=(f"not timed: {timing.message}",))
        return Speed(_never_faster(untimed, before, after, reason))
    speed = judge_timing(timing, None, {}, job.seeds[-1])
    assert speed.comparison is not None
    return replace(speed, comparison=_never_faster(speed.comparison, before, after, reason), findings=(), advice=None)


def _never_faster(comparison: Comparison, before: Evaluation, after: Evaluation, reason: str) -> Comparison:
    """The sum of launches, with no gain reported."""
    caveats = (*comparison.caveats, f"launches do not correspond: {reason}", "all of them are added up, without gaps and copies")
    outcome = SpeedOutcome.INCONCLUSIVE if comparison.is_gain else comparison.outcome
    return without_added_operations(replace(comparison, outcome=outcome, caveats=caveats), before, after)


async def _timed(job: Job, clock: Timing, pair: KernelPair, before: Evaluation, after: Evaluation) -> PairTiming | LabFailure:
    """Each side's launches replayed in order, on what its own program had in memory before the first of them."""
    sides = [_sequence(evaluation, {item.instance for item in items}) for evaluation, items in ((before, pair.before), (after, pair.after))]
    (a, a_program), (b, b_program) = sides
    if isinstance(a, LabFailure) or isinstance(b, LabFailure):
        return a if isinstance(a, LabFailure) else b  # type: ignore[return-value]  # one of them is
    options = replace(timing_options(job, 1, is_confirming=True), is_apart=True)
    timing = await clock.time(a_program, b_program, ((a, b),), options, job.limits)
    if isinstance(timing, LabFailure):
        return timing
    return replace(timing, cases=tuple(replace(case, shape=_SHAPE, weight=1.0) for case in timing.cases))


def _sequence(evaluation: Evaluation, instances: set[str]) -> tuple[Case | LabFailure, Program]:
    run = evaluation.counted.run
    program = startable_kernels(evaluation.version.program, instances)
    if run is None or run.recording is None or run.recording_path is None:
        return LabFailure("unsupported", "its launches were not recorded", ""), program
    launches = [launch.index for launch in run.recording.launches if launch.kernel in instances]
    made = _launch_count(run.recording, instances)
    if len(launches) < made or made > _MOST_LAUNCHES:
        return LabFailure("unsupported", f"{len(launches)} of its {made} launches could be replayed together", ""), program
    return Case(run.recording_path, tuple(launches), CaseOrigin("recorded", _SHAPE, 0, 1.0, 1.0)), program


def _launch_count(recording: Recording, instances: set[str]) -> int:
    return sum(shape.count for shape in recording.shape_counts if shape.kernel in instances)
