"""What timings say of the speed of two versions, and what speaks against believing them.

Example::

    judge_timing(timing, predicted, least_s, seed).comparison      # FASTER 1.83x
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.replaying import HOST_SPACE
from assistant.measure.bounds import Quarantine, quarantine_cases
from assistant.measure.paired import compare_timing
from assistant.measure.statistics import Quality
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.recording import Recording
from assistant.model.timing import PairTiming
from assistant.model.verification import Outcome, Verification, VerificationFinding
from assistant.profile.coach import MeasuredShape, advice, is_near_limit
from assistant.record import Record
from assistant.verify.judged_case import worst
from assistant.workload.added_work import added_launches, added_operations, are_operations_known

__all__ = [
    "Speed",
    "if_possible",
    "judge_timing",
    "of_memory_timed_elsewhere",
    "overall_speed",
    "with_findings",
    "with_prediction",
    "without_added_operations",
    "without_added_work",
]

_UNSEEN = "unchecked_when_timed"


class Speed(Record):
    """What is known of the speed of two versions."""

    comparison: Comparison | None
    """None where either side launches nothing."""
    findings: tuple[VerificationFinding, ...] = ()
    """What only timing shows."""
    notes: tuple[str, ...] = ()
    """Why the answer is less than it could be, for people."""
    timing: PairTiming | None = None
    """None where nothing was timed."""
    advice: str | None = None
    """That B leaves hardly anything to be gained; None where it does, or where it is not known."""
    host_shapes: tuple[str, ...] = ()
    """Shapes whose buffers lie in the host's memory: they were timed in device memory, which says nothing of the program."""
    light_ratio: float | None = None
    """Least time of the shape that takes most of B's time / its measured time, 0..1; None where one of both is not known."""
    defect: str | None = None
    """What was timed in place of what was asked for: an internal error, so that there is no comparison."""


def without_added_work(comparison: Comparison, before: Evaluation, after: Evaluation) -> Comparison:
    """The comparison, but no gain where B gives the GPU work that A does not and that is not in the ratio."""
    return _unless_added(comparison, before, after, lambda a, b: (*added_launches(a, b), *added_operations(a, b)))


def without_added_operations(comparison: Comparison, before: Evaluation, after: Evaluation) -> Comparison:
    """Likewise, where all launches are in the ratio."""
    return _unless_added(comparison, before, after, added_operations)


def _unless_added(
    comparison: Comparison, before: Evaluation, after: Evaluation, added_work: Callable[[Recording, Recording], Sequence[str]]
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
    outcome = SpeedOutcome.INCONCLUSIVE if added and comparison.is_gain else comparison.outcome
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
    comparison = with_prediction(compare_timing(timing, seed), predicted)
    findings = results
    notes = [note for case in timing.cases for note in case.notes]
    unchecked = [case.shape for case in timing.cases if case.unchecked_versions == ("B",)]
    if unchecked:
        message = f"results of B's timed calls differ from untimed ones and are too large to be looked at ({'; '.join(unchecked)})"
        findings = (*findings, VerificationFinding(_UNSEEN, Outcome.NEEDS_DECISION, message))
    comparison, impossible = if_possible(comparison, least_s)
    findings = (*findings, *impossible)
    if timing.self_test is not None and not timing.self_test.has_passed:
        reason = f"this GPU's timing failed its self-test: {'; '.join(timing.self_test.failures)}"
        comparison = replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE, quality=Quality.POOR, caveats=(*comparison.caveats, reason))
        notes.append(reason)
    standing = _standing(comparison, least_s)
    is_done = standing is not None and is_near_limit(standing)
    return Speed(
        comparison,
        findings,
        tuple(dict.fromkeys(notes)),
        timing,
        advice(standing) if is_done and standing is not None else None,
        light_ratio=None if standing is None else standing.light,
    )


def if_possible(comparison: Comparison, least_s: Mapping[str, float]) -> tuple[Comparison, tuple[VerificationFinding, ...]]:
    """The comparison, in doubt with a finding where B would be faster than the device can be. ``least_s``: of B, by the shape."""
    match quarantine_cases(comparison, least_s):
        case Quarantine(comparison=doubted, reason=reason):
            return doubted, (VerificationFinding("impossible_speed", Outcome.NEEDS_DECISION, reason),)
        case _:
            return comparison, ()


def _standing(comparison: Comparison, least_s: Mapping[str, float]) -> MeasuredShape | None:
    """The shape that takes most of B's time, next to its least time; None where either is not known."""
    known = [case for case in comparison.cases if case.after_s is not None and case.weight > 0]
    if not known or comparison.outcome is SpeedOutcome.INCONCLUSIVE:
        return None
    heaviest = max(known, key=lambda case: case.weight * (case.after_s or 0.0))
    after_s, bound_s = heaviest.after_s, least_s.get(heaviest.shape)
    if after_s is None or bound_s is None:
        return None
    return MeasuredShape(heaviest.shape, after_s, min(1.0, bound_s / after_s), "bytes")


def _is_doubted(speed: Speed) -> bool:
    """Whether something speaks against believing its time, however clear the verdict."""
    is_tested = speed.timing is None or speed.timing.self_test is None or speed.timing.self_test.has_passed
    is_inconclusive = (
        speed.comparison is not None and speed.comparison.outcome is SpeedOutcome.INCONCLUSIVE and bool(speed.comparison.caveats)
    )
    return not is_tested or is_inconclusive or bool(speed.host_shapes) or bool(speed.findings)


def of_memory_timed_elsewhere(speed: Speed, spaces: Mapping[str, frozenset[str]]) -> Speed:
    """The verdict on shapes whose buffers were timed in other memory than the program's: replays have all of them on the device.

    Page-locked memory stays with the host, so that a kernel on it waits for the bus: nothing is concluded. Managed memory comes to the
    device when it is used, and is timed as it is from then on, which a note says. ``spaces``: per shape.
    """
    host = tuple(shape for shape, places in spaces.items() if HOST_SPACE in places)
    managed = [shape for shape, places in spaces.items() if "managed" in places]
    of_host = "page-locked host memory was timed as if it were on the device, so nothing is concluded"
    of_managed = "managed memory was timed as it is once it is on the device, without its migration"
    notes = tuple(f"{_shown(shapes)}: {words}" for shapes, words in ((host, of_host), (managed, of_managed)) if shapes)
    comparison = speed.comparison
    if host and comparison is not None:
        cases = tuple(replace(case, outcome=SpeedOutcome.INCONCLUSIVE) if case.shape in host else case for case in comparison.cases)
        comparison = replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE, cases=cases, caveats=(*comparison.caveats, of_host))
    advised, light = (None, None) if host else (speed.advice, speed.light_ratio)
    return replace(speed, comparison=comparison, notes=speed.notes + notes, host_shapes=host, advice=advised, light_ratio=light)


def _shown(shapes: Sequence[str]) -> str:
    return "; ".join(shape or "its only shape" for shape in shapes)


def with_prediction(comparison: Comparison, predicted: Comparison | None) -> Comparison:
    """The measurement next to what the model had said."""
    if predicted is None:
        return comparison
    return replace(
        comparison,
        bottleneck_before=predicted.bottleneck_before,
        bottleneck_after=predicted.bottleneck_after,
        predicted_ratio=predicted.ratio,
    )


def with_findings(verification: Verification, speed: Speed) -> Verification:
    """The verdict with what timing found; the worse outcome of both."""
    outcome = worst((verification.outcome, *(finding.outcome for finding in speed.findings)))
    return replace(verification, outcome=outcome, findings=(*verification.findings, *speed.findings))
