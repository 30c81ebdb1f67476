"""Is B faster? Timed where the lab has a clock, else predicted. Screening and confirming differ in the process that times.

A measurement is held against what the device can do at all, and carries what the model had predicted, which scores the model.
Example::

    speed = await speed_of(job, baseline, before, after, Versions(before_kernels, after_kernels), is_confirming=True)
    speed.comparison       # FASTER 1.83x on a GPU, PREDICTED 1.80x without one
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.engine.assess import KernelAssessment
from assistant.engine.cases import write_cases
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.judging import Baseline, runnable_cases
from assistant.engine.references import startable
from assistant.engine.workbench import Looked, predict_speed
from assistant.measure.bounds import Quarantine, least_time_s, quarantine_cases, with_measured
from assistant.measure.model import without_launch
from assistant.measure.paired import compare_timing
from assistant.measure.statistics import Quality
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.device import Target
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.verification import Outcome, Verification, VerificationFinding
from assistant.model.workload import Case
from assistant.ports import LabFailure, Timing
from assistant.profile.coach import Standing, advice, is_near_limit
from assistant.workload.recordings import NewCase

__all__ = [
    "HOST_SPACE",
    "Speed",
    "Versions",
    "judge_timing",
    "of_memory_timed_elsewhere",
    "overall_speed",
    "spaces_of",
    "speed_of",
    "with_findings",
]

HOST_SPACE = "host"
"""`RecordedBuffer.space` of page-locked memory; replays have it on the device."""

_SCREEN_WALL_S = 2.0
"""A shape while candidates are ranked: enough for 20 blocks of kernels up to 10 ms."""
_UNSEEN = "unchecked_when_timed"
"""A finding about results, which says nothing against the time."""


@dataclass(frozen=True)
class Versions:
    """Both sides' assessed kernels."""

    before: tuple[KernelAssessment, ...]
    after: tuple[KernelAssessment, ...]


@dataclass(frozen=True)
class Speed:
    """What can be said of the speed of one kernel's two versions."""

    comparison: Comparison | None
    """None where either side launches nothing."""
    findings: tuple[VerificationFinding, ...] = ()
    """What only timing shows."""
    notes: tuple[str, ...] = ()
    """Why the answer is less than it could be, for people."""
    timing: PairTiming | None = None
    """None where nothing was timed."""
    advice: str | None = None
    """That B leaves hardly anything to be gained; None where it does, or where nobody knows."""
    host_shapes: tuple[str, ...] = ()
    """Shapes whose buffers lie in the host's memory: they were timed in device memory, which says nothing of the program."""


async def speed_of(job: Job, baseline: Baseline, before: Looked, after: Looked, versions: Versions, is_confirming: bool) -> Speed:
    """Measured on the lab's clock, on the baseline's weighted cases; else predicted, with the reason where a clock is there.

    ``before`` is the baseline's own version, or one that a search has come to from there.
    """
    predicted = predict_speed(versions.before, versions.after)
    clock = job.lab.timing
    if clock is None:
        return Speed(predicted)
    chosen = _timed_cases(baseline, before, after)
    if not chosen:
        return Speed(predicted, notes=("no launch of both versions could be timed against each other, so the speed is predicted",))
    timing = await _timed(job, clock, (before, after), chosen, is_confirming)
    if isinstance(timing, LabFailure):
        return Speed(predicted, notes=(f"the speed is predicted, as timing failed: {timing.message}",))
    least_s = _least_times(chosen, versions, job.target if timing.peaks is None else with_measured(job.target, timing.peaks))
    alone = predict_speed(*(_without_launch(kernels) for kernels in (versions.before, versions.after)))
    speed = judge_timing(timing, alone, least_s, _seed(job, is_confirming))
    return of_memory_timed_elsewhere(speed, _spaces(chosen))


def overall_speed(job: Job, speeds: Sequence[Speed], predicted: Comparison | None) -> Comparison | None:
    """Over all kernels: measured where each of them was, else ``predicted`` as it was made, launch overhead included."""
    timings = [speed.timing for speed in speeds if speed.timing is not None]
    if not timings or len(timings) < len(speeds):
        return predicted
    cases = tuple(case for timing in timings for case in timing.cases)
    comparison = compare_timing(replace(timings[-1], cases=cases), job.seeds[-1])
    is_doubted = any(_is_doubted(speed) for speed in speeds)
    return replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE) if is_doubted else comparison


def _timed_cases(baseline: Baseline, before: Looked, after: Looked) -> list[tuple[NewCase, NewCase]]:
    """For every shape that has weight its first case, as either version runs it."""
    new_cases = {id(item): new for item, new in runnable_cases(baseline, after.subject, after.counted)}
    if before.subject is baseline.subject:
        old_cases = [(item, item.case.new) for item in baseline.cases]
    else:
        old_cases = runnable_cases(baseline, before.subject, before.counted)
    by_shape: dict[str, tuple[NewCase, NewCase]] = {}
    for item, old in old_cases:
        if old.origin.weight > 0 and id(item) in new_cases:
            by_shape.setdefault(old.origin.shape, (old, new_cases[id(item)]))
    return list(by_shape.values())


async def _timed(
    job: Job, clock: Timing, sides: tuple[Looked, Looked], chosen: Sequence[tuple[NewCase, NewCase]], is_confirming: bool
) -> PairTiming | LabFailure:
    by_side = ([old for old, _ in chosen], [new for _, new in chosen])
    a, b = (startable(side.subject, cases) for side, cases in zip(sides, by_side, strict=True))
    options = TimingOptions(seed=_seed(job, is_confirming), is_fresh=is_confirming)
    if not is_confirming:
        options = replace(options, wall_s=_SCREEN_WALL_S)
    pairs = zip(*(_written(job, cases) for cases in by_side), strict=True)
    return await clock.time(a, b, tuple(pairs), options, job.limits)


def _written(job: Job, cases: Sequence[NewCase]) -> tuple[Case, ...]:
    return write_cases(job.scratch / new_id("K"), cases)


def _seed(job: Job, is_confirming: bool) -> int:
    return job.seeds[-1] if is_confirming else job.seeds[0]


def judge_timing(timing: PairTiming, predicted: Comparison | None, least_s: dict[str, float], seed: int) -> Speed:
    """The verdict on the timings, and what speaks against believing it."""
    comparison = _with_prediction(compare_timing(timing, seed), predicted)
    findings = _lies(timing)
    notes = [note for case in timing.cases for note in case.notes]
    notes += [f"{case.shape}: A's own results differ in timed calls" for case in timing.cases if "A" in case.different_versions]
    match quarantine_cases(comparison, least_s):
        case Quarantine(comparison=doubted, reason=reason):
            comparison = doubted
            findings = (*findings, VerificationFinding("impossible_speed", Outcome.NEEDS_DECISION, reason))
        case _:
            pass
    if timing.self_test is not None and not timing.self_test.has_passed:
        comparison = replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE, quality=Quality.POOR)
        notes.append(f"this GPU's timing failed its self-test: {'; '.join(timing.self_test.failures)}")
    return Speed(comparison, findings, tuple(dict.fromkeys(notes)), timing, _stop_advice(comparison, least_s))


def _stop_advice(comparison: Comparison, least_s: dict[str, float]) -> str | None:
    """Of the shape that takes most of B's time, where its least time is known and nearly reached."""
    known = [case for case in comparison.cases if case.after_s is not None and case.weight > 0]
    if not known or comparison.outcome is SpeedOutcome.INCONCLUSIVE:
        return None
    heaviest = max(known, key=lambda case: case.weight * (case.after_s or 0.0))
    after_s, bound_s = heaviest.after_s, least_s.get(heaviest.shape)
    if after_s is None or bound_s is None:
        return None
    standing = Standing(heaviest.shape, after_s, min(1.0, bound_s / after_s), "bytes")
    return advice(standing) if is_near_limit(standing) else None


def _is_doubted(speed: Speed) -> bool:
    """Whether something speaks against believing its time, however clear the verdict."""
    is_tested = speed.timing is None or speed.timing.self_test is None or speed.timing.self_test.has_passed
    return not is_tested or bool(speed.host_shapes) or any(finding.code != _UNSEEN for finding in speed.findings)


def _spaces(chosen: Sequence[tuple[NewCase, NewCase]]) -> dict[str, frozenset[str]]:
    """Per shape where its buffers lie."""
    return {old.origin.shape: spaces_of(old) for old, _ in chosen}


def spaces_of(case: NewCase) -> frozenset[str]:
    """Where the buffers lie that its launches reach (`RecordedBuffer.space`)."""
    recording = case.recording
    reached = {state.buffer for launch in recording.launches if launch.index in case.launches for state in launch.buffers}
    return frozenset(buffer.space for buffer in recording.buffers if buffer.id in reached)


def of_memory_timed_elsewhere(speed: Speed, spaces: Mapping[str, frozenset[str]]) -> Speed:
    """The verdict on shapes whose buffers were timed in other memory than the program's: replays have all of them on the device.

    Page-locked memory stays with the host, so that a kernel on it waits for the bus: nothing is concluded. Managed memory comes to the
    device when it is used, and is timed as it is from then on, which is said. ``spaces``: per shape.
    """
    host = tuple(shape for shape, places in spaces.items() if HOST_SPACE in places)
    managed = [shape for shape, places in spaces.items() if "managed" in places]
    of_host = "page-locked host memory was timed as if it lay on the device, so nothing is concluded"
    of_managed = "managed memory was timed as it is once it lies on the device, without its migration"
    notes = tuple(f"{_shown(shapes)}: {said}" for shapes, said in ((host, of_host), (managed, of_managed)) if shapes)
    comparison = speed.comparison
    if host and comparison is not None:
        cases = tuple(replace(case, outcome=SpeedOutcome.INCONCLUSIVE) if case.shape in host else case for case in comparison.cases)
        comparison = replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE, cases=cases)
    advised = None if host else speed.advice
    return replace(speed, comparison=comparison, notes=speed.notes + notes, host_shapes=host, advice=advised)


def _shown(shapes: Sequence[str]) -> str:
    return "; ".join(shape or "its only shape" for shape in shapes)


def _without_launch(kernels: tuple[KernelAssessment, ...]) -> tuple[KernelAssessment, ...]:
    """With what the model says of the kernels alone: timings do not hold what starting one costs either."""
    return tuple(
        replace(item, launches=tuple(replace(launch, predicted=without_launch(launch.predicted)) for launch in item.launches))
        for item in kernels
    )


def _with_prediction(comparison: Comparison, predicted: Comparison | None) -> Comparison:
    if predicted is None:
        return comparison
    return replace(
        comparison,
        bottleneck_before=predicted.bottleneck_before,
        bottleneck_after=predicted.bottleneck_after,
        predicted_ratio=predicted.ratio,
    )


def _lies(timing: PairTiming) -> tuple[VerificationFinding, ...]:
    """A B that leaves other results while it is timed than while it is not, or may do so unseen; where A does so, too, none is blamed."""
    unseen = [case.shape for case in timing.cases if case.unchecked_versions == ("B",)]
    return (*_other_results(timing), *_unseen_results(unseen))


def _unseen_results(shapes: list[str]) -> tuple[VerificationFinding, ...]:
    if not shapes:
        return ()
    message = f"B's results vary from run to run and A's do not, so those of its timed calls could not be checked ({'; '.join(shapes)})"
    return (VerificationFinding(_UNSEEN, Outcome.NEEDS_DECISION, message),)


def _other_results(timing: PairTiming) -> tuple[VerificationFinding, ...]:
    shapes = [case.shape for case in timing.cases if case.different_versions == ("B",)]
    if not shapes:
        return ()
    message = f"B's results in timed calls differ from those in untimed ones ({'; '.join(shapes)})"
    return (VerificationFinding("differs_when_timed", Outcome.FAIL, message),)


def _least_times(chosen: Sequence[tuple[NewCase, NewCase]], versions: Versions, target: Target) -> dict[str, float]:
    """Least seconds of B on each timed shape, by the bytes that it touches; shapes of several launches or unknown bytes are left out."""
    found: dict[str, float] = {}
    for _, new in chosen:
        shape = new.origin.shape
        if len(new.launches) != 1:
            continue
        config = next(launch.config for launch in new.recording.launches if launch.index == new.launches[0])
        launches = [launch for kernel in versions.after for launch in kernel.launches if launch.shape in ("", shape)]
        times = [least_time_s(launch.profile, target) for launch in launches if launch.profile.config == config]
        known = [time_s for time_s in times if time_s is not None]
        if known and len(known) == len(times):
            found[shape] = min(known)
    return found


def with_findings(verification: Verification, speed: Speed) -> Verification:
    """The verdict with what timing found; the worse outcome of both."""
    order = (Outcome.PASS, Outcome.NEEDS_DECISION, Outcome.FAIL)
    worst = max((verification.outcome, *(finding.outcome for finding in speed.findings)), key=order.index)
    return replace(verification, outcome=worst, findings=(*verification.findings, *speed.findings))
