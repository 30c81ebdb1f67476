"""Is B faster? Timed where the lab has a clock, else predicted. Screening and confirming differ in the process that times.

What is in the ratio are all kernels that the edit concerns. A measurement is held against what the device can do at all, and carries what
the model had predicted, which scores the model. Whatever keeps the answer from being a measurement stands in its own line. Example::

    speed = await speed_of(job, Versions(baseline, before, after, pairs), is_confirming=True)
    speed.comparison       # FASTER 1.83x on a GPU, PREDICTED 1.80x without one
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from assistant.engine.evaluate.workbench import Looked
from assistant.engine.job import Job
from assistant.engine.judge.filled import as_found
from assistant.engine.judge.judging import Baseline, judge_timed_calls
from assistant.engine.judge.predicting import KernelPair, predict_speed, without_launch_overhead
from assistant.engine.judge.references import LeftContents
from assistant.engine.judge.timed import TimedPair, mismatch, time_pairs, timed_pairs
from assistant.measure.bounds import Quarantine, least_time_s, quarantine_cases, with_measured
from assistant.measure.paired import compare_timing
from assistant.measure.statistics import Quality
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.device import Target
from assistant.model.recording import Recording
from assistant.model.timing import PairTiming
from assistant.model.verification import Outcome, Verification, VerificationFinding
from assistant.ports.lab import LabFailure
from assistant.profile.coach import Standing, advice, is_near_limit
from assistant.record import Record
from assistant.verify.evidence import SideRun
from assistant.workload.added_work import added_launches, added_operations, are_operations_known
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
    "without_added_operations",
    "without_added_work",
]

_UNSEEN = "unchecked_when_timed"
HOST_SPACE = "host"
"""`RecordedBuffer.space` of page-locked memory; replays have it on the device."""


class Versions(Record):
    """What is compared."""

    baseline: Baseline
    """The cases, and the original on them."""
    before: Looked
    """The baseline's own version, or one that a search has come to from there."""
    after: Looked
    pairs: tuple[KernelPair, ...]
    """Of every kernel that is in the ratio."""


class Speed(Record):
    """What can be said of the speed of two versions."""

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
    defect: str | None = None
    """What was timed in place of what was asked for: an internal error, so that there is no comparison."""


async def speed_of(job: Job, versions: Versions, is_confirming: bool) -> Speed:
    """Measured on the lab's clock, on the baseline's weighted cases; else predicted, with the reason where a clock is there."""
    speed = await _measured_or_predicted(job, versions, is_confirming)
    if speed.comparison is None:
        return speed
    return replace(speed, comparison=without_added_work(speed.comparison, versions.before, versions.after))


async def _measured_or_predicted(job: Job, versions: Versions, is_confirming: bool) -> Speed:
    predicted = predict_speed(versions.pairs)
    clock = job.lab.timing
    if clock is None:
        return Speed(predicted)
    chosen = timed_pairs(versions.baseline, versions.before, versions.after, versions.pairs)
    if not chosen:
        return _predicted_because(predicted, "not timed: no launch of both versions corresponds")
    timing = await time_pairs(job, clock, (versions.before, versions.after), chosen, is_confirming)
    if isinstance(timing, LabFailure):
        return _predicted_because(predicted, f"not timed: {timing.message}")
    defect = mismatch(chosen, timing)
    if defect is not None:
        return Speed(None, defect=f"internal error, please report it: {defect}", timing=timing)
    least_s = _least_times(chosen, versions.pairs, job.target if timing.peaks is None else with_measured(job.target, timing.peaks))
    alone = predict_speed(without_launch_overhead(versions.pairs))
    results = _wrong_results(versions, chosen, timing)
    speed = judge_timing(timing, alone, least_s, job.seeds[-1] if is_confirming else job.seeds[0], results)
    return of_memory_timed_elsewhere(speed, {pair.name: spaces_of(pair.old) for pair in chosen})


def _predicted_because(predicted: Comparison | None, reason: str) -> Speed:
    return Speed(None if predicted is None else replace(predicted, caveats=(*predicted.caveats, reason)), notes=(reason,))


def without_added_work(comparison: Comparison, before: Looked, after: Looked) -> Comparison:
    """The comparison, but no gain where B gives the GPU work that A does not and that is not in the ratio."""
    return _unless_added(comparison, before, after, lambda a, b: (*added_launches(a, b), *added_operations(a, b)))


def without_added_operations(comparison: Comparison, before: Looked, after: Looked) -> Comparison:
    """Likewise, where all launches are in the ratio."""
    return _unless_added(comparison, before, after, added_operations)


def _unless_added(
    comparison: Comparison, before: Looked, after: Looked, added_work: Callable[[Recording, Recording], Sequence[str]]
) -> Comparison:
    a, b = before.counted.recording, after.counted.recording
    if a is None or b is None or a is b:
        return comparison
    added = added_work(a, b)
    caveats = comparison.caveats
    if added:
        caveats = (*caveats, f"not in the ratio: B also makes {', '.join(added)}")
    elif not are_operations_known(a, b):
        caveats = (*caveats, "copies and fills of both were not compared")
    is_gain = comparison.outcome is SpeedOutcome.FASTER or (comparison.outcome is SpeedOutcome.PREDICTED and comparison.ratio > 1.0)
    outcome = SpeedOutcome.INCONCLUSIVE if added and is_gain else comparison.outcome
    return replace(comparison, outcome=outcome, caveats=caveats)


def overall_speed(job: Job, speeds: Sequence[Speed], predicted: Comparison | None) -> Comparison | None:
    """Over all kernels: measured where each of them was, else ``predicted`` as it was made, launch overhead included.

    A gain over all that holds a kernel's in doubt is in doubt as well.
    """
    timings = [speed.timing for speed in speeds if speed.timing is not None]
    caveats = tuple(dict.fromkeys(text for speed in speeds if speed.comparison is not None for text in speed.comparison.caveats))
    is_doubted = any(_is_doubted(speed) for speed in speeds)
    if not timings or len(timings) < len(speeds):
        if predicted is None:
            return None
        outcome = SpeedOutcome.INCONCLUSIVE if is_doubted and predicted.ratio > 1.0 else predicted.outcome
        return replace(predicted, outcome=outcome, caveats=(*predicted.caveats, *caveats))
    cases = tuple(case for timing in timings for case in timing.cases)
    comparison = replace(compare_timing(replace(timings[-1], cases=cases), job.seeds[-1]), caveats=caveats)
    return replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE) if is_doubted else comparison


def judge_timing(
    timing: PairTiming,
    predicted: Comparison | None,
    least_s: Mapping[str, float],
    seed: int,
    results: tuple[VerificationFinding, ...] = (),
) -> Speed:
    """The verdict on the timings, and what speaks against believing it. ``results``: what is wrong with values that timed calls left."""
    comparison = _with_prediction(compare_timing(timing, seed), predicted)
    findings = results
    notes = [note for case in timing.cases for note in case.notes]
    unchecked = [case.shape for case in timing.cases if case.unchecked_versions == ("B",)]
    if unchecked:
        message = f"results of B's timed calls differ from untimed ones and are too large to be looked at ({'; '.join(unchecked)})"
        findings = (*findings, VerificationFinding(_UNSEEN, Outcome.NEEDS_DECISION, message))
    match quarantine_cases(comparison, least_s):
        case Quarantine(comparison=doubted, reason=reason):
            comparison = doubted
            findings = (*findings, VerificationFinding("impossible_speed", Outcome.NEEDS_DECISION, reason))
        case _:
            pass
    if timing.self_test is not None and not timing.self_test.has_passed:
        reason = f"this GPU's timing failed its self-test: {'; '.join(timing.self_test.failures)}"
        comparison = replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE, quality=Quality.POOR, caveats=(*comparison.caveats, reason))
        notes.append(reason)
    return Speed(comparison, findings, tuple(dict.fromkeys(notes)), timing, _stop_advice(comparison, least_s))


def _wrong_results(versions: Versions, chosen: Sequence[TimedPair], timing: PairTiming) -> tuple[VerificationFinding, ...]:
    """What is wrong with the values that timed calls of B left, where they left others than untimed ones."""
    if timing.blobs is None or not any(result.version == "B" for case in timing.cases for result in case.odd_results):
        return ()
    contents = LeftContents(timing.blobs)
    places = {id(item.case): index for index, item in enumerate(versions.baseline.cases)}
    left: dict[str, dict[int, tuple[SideRun, ...]]] = {"A": {}, "B": {}}
    for pair, case in zip(chosen, timing.cases, strict=True):
        for version, runs in left.items():
            odd = (result for result in case.odd_results if result.version == version)
            place = places[id(pair.case)]
            side = tuple(SideRun(contents.of(result.after), is_repeat=True) for result in odd)
            runs[place] = as_found(versions.baseline.cases[place], pair.new, side) if version == "B" else side
    own = left["A"] if versions.before.subject is versions.baseline.subject else {}
    found = judge_timed_calls(versions.baseline, versions.after.subject, versions.after.version, left["B"], own)
    return tuple(
        replace(finding, code="differs_when_timed", message=f"a timed call left other results than untimed ones: {finding.message}")
        for finding in found
    )


def _stop_advice(comparison: Comparison, least_s: Mapping[str, float]) -> str | None:
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
    is_inconclusive = (
        speed.comparison is not None and speed.comparison.outcome is SpeedOutcome.INCONCLUSIVE and bool(speed.comparison.caveats)
    )
    return not is_tested or is_inconclusive or bool(speed.host_shapes) or bool(speed.findings)


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
        comparison = replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE, cases=cases, caveats=(*comparison.caveats, of_host))
    advised = None if host else speed.advice
    return replace(speed, comparison=comparison, notes=speed.notes + notes, host_shapes=host, advice=advised)


def _shown(shapes: Sequence[str]) -> str:
    return "; ".join(shape or "its only shape" for shape in shapes)


def _with_prediction(comparison: Comparison, predicted: Comparison | None) -> Comparison:
    if predicted is None:
        return comparison
    return replace(
        comparison,
        bottleneck_before=predicted.bottleneck_before,
        bottleneck_after=predicted.bottleneck_after,
        predicted_ratio=predicted.ratio,
    )


def _least_times(chosen: Sequence[TimedPair], pairs: Sequence[KernelPair], target: Target) -> dict[str, float]:
    """Least seconds of B on each timed shape, by the bytes that it touches; shapes of several launches or unknown bytes are left out."""
    found: dict[str, float] = {}
    for pair in chosen:
        if len(pair.new.launches) != 1:
            continue
        started = next(launch for launch in pair.new.recording.launches if launch.index == pair.new.launches[0])
        items = (item for side in pairs for item in side.after if item.instance == started.kernel)
        launches = [launch for item in items for launch in item.launches if launch.shape in ("", pair.new.origin.shape)]
        times = [least_time_s(launch.profile, target) for launch in launches if launch.profile.config == started.config]
        known = [time_s for time_s in times if time_s is not None]
        if known and len(known) == len(times):
            found[pair.name] = min(known)
    return found


def with_findings(verification: Verification, speed: Speed) -> Verification:
    """The verdict with what timing found; the worse outcome of both."""
    order = (Outcome.PASS, Outcome.NEEDS_DECISION, Outcome.FAIL)
    worst = max((verification.outcome, *(finding.outcome for finding in speed.findings)), key=order.index)
    return replace(verification, outcome=worst, findings=(*verification.findings, *speed.findings))
