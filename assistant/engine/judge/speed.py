"""Is B faster? Timed where the lab has a clock, else predicted. Screening and confirming differ in the process that times.

What is in the ratio are all kernels that the edit concerns. A measurement is held against what the device can do at all, and carries what
the model had predicted, which scores the model. Whatever keeps the answer from being a measurement stands in its own line. Example::

    speed = await speed_of(job, SpeedQuestion(baseline, before, after, pairs), is_confirming=True)
    speed.comparison       # FASTER 1.83x on a GPU, PREDICTED 1.80x without one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline
from assistant.engine.judge.filled import as_found
from assistant.engine.judge.in_question import judge_timed_calls
from assistant.engine.judge.kernel_spans import kernel_spans, least_times_of_launches
from assistant.engine.judge.pairing import runnable_cases
from assistant.engine.judge.predicting import KernelPair, predict_speed, without_launch_overhead
from assistant.engine.judge.replaying import LeftContents, spaces_of
from assistant.engine.judge.timed import TimedPair, mismatch, time_pairs, timed_pairs
from assistant.engine.judge.timing_verdict import (
    Speed,
    if_possible,
    judge_timing,
    of_memory_timed_elsewhere,
    with_prediction,
    without_added_work,
)
from assistant.engine.threads import in_thread
from assistant.measure.bounds import least_time_s, with_measured
from assistant.model.comparison import Comparison
from assistant.model.device import Target
from assistant.model.timing import PairTiming
from assistant.model.verification import VerificationFinding
from assistant.ports.lab import LabFailure, Timing
from assistant.record import Record
from assistant.verify.evidence import SideRun

__all__ = ["SpeedQuestion", "speed_of"]


_LATER = "not timed yet: its launches cannot be replayed, and the programs themselves are run in turn when it is confirmed"


class SpeedQuestion(Record):
    """What is compared."""

    baseline: Baseline
    """The cases, and the original on them."""
    before: Evaluation
    """The baseline's own version, or one that a search has come to from there."""
    after: Evaluation
    pairs: tuple[KernelPair, ...]
    """Every kernel that is in the ratio."""


async def speed_of(job: Job, question: SpeedQuestion, is_confirming: bool) -> Speed:
    """Measured on the lab's clock, on the baseline's weighted cases; else predicted, with the reason where a clock is there."""
    speed = await _measured_or_predicted(job, question, is_confirming)
    if speed.comparison is None:
        return speed
    return replace(speed, comparison=without_added_work(speed.comparison, question.before, question.after))


async def _measured_or_predicted(job: Job, question: SpeedQuestion, is_confirming: bool) -> Speed:
    predicted = predict_speed(question.pairs)
    clock = job.lab.timing
    if clock is None:
        return Speed(predicted)
    chosen = _timed_pairs(question)
    if _is_left_out(question, chosen):
        is_predicted = predicted is not None and not is_confirming
        return _predicted_because(predicted, _LATER) if is_predicted else await _in_programs(job, clock, question, predicted)
    if not chosen:
        return _predicted_because(predicted, "not timed: no launch of both versions corresponds")
    timing = await time_pairs(job, clock, (question.before, question.after), chosen, is_confirming)
    if isinstance(timing, LabFailure):
        return _predicted_because(predicted, f"not timed: {timing.message}")
    defect = mismatch(chosen, timing)
    if defect is not None:
        return Speed(None, defect=f"internal error, please report it: {defect}", timing=timing)
    least_s = _least_times(chosen, question.pairs, job.target if timing.peaks is None else with_measured(job.target, timing.peaks))
    alone = predict_speed(without_launch_overhead(question.pairs))
    results = await _wrong_results(question, chosen, timing)
    speed = judge_timing(timing, alone, least_s, job.seeds[-1] if is_confirming else job.seeds[0], results)
    return of_memory_timed_elsewhere(speed, {pair.name: spaces_of(pair.old) for pair in chosen})


def _is_left_out(question: SpeedQuestion, chosen: Sequence[TimedPair]) -> bool:
    """Whether there is a kernel that the program launches, and no launch of it can be replayed."""
    if question.before.counted.recording is None or not all(pair.before and pair.after for pair in question.pairs):
        return False
    timed = {launch.kernel for pair in chosen for launch in pair.old.recording.launches if launch.index in pair.old.launches}
    return any(timed.isdisjoint(item.instance for item in pair.before) for pair in question.pairs)


async def _in_programs(job: Job, clock: Timing, question: SpeedQuestion, predicted: Comparison | None) -> Speed:
    """Timed in the programs themselves."""
    measured = await kernel_spans(job, clock, question.before, question.after, question.pairs)
    if isinstance(measured, LabFailure):
        return _predicted_because(predicted, f"not timed: {measured.message}")
    least_s = least_times_of_launches(question.pairs, job.target)
    comparison, findings = if_possible(with_prediction(measured, predicted), least_s)
    return Speed(comparison, findings)


def _timed_pairs(question: SpeedQuestion) -> tuple[TimedPair, ...]:
    baseline, before, after = question.baseline, question.before, question.after
    if before.version is baseline.version:
        old = [(item, item.case.new) for item in baseline.cases]
    else:
        old = runnable_cases(baseline, before.version, before.counted)
    return timed_pairs(baseline, old, runnable_cases(baseline, after.version, after.counted), question.pairs)


def _predicted_because(predicted: Comparison | None, reason: str) -> Speed:
    return Speed(None if predicted is None else replace(predicted, caveats=(*predicted.caveats, reason)), notes=(reason,))


async def _wrong_results(question: SpeedQuestion, chosen: Sequence[TimedPair], timing: PairTiming) -> tuple[VerificationFinding, ...]:
    """What is wrong with the values that timed calls of B left, where they left others than untimed ones."""
    if timing.blobs is None or not any(result.version == "B" for case in timing.cases for result in case.odd_results):
        return ()
    contents = LeftContents(
        timing.blobs, {name: data for pair in chosen for case in (pair.old, pair.new) for name, data in case.blobs.items()}
    )
    await in_thread(contents.read, [result.after for case in timing.cases for result in case.odd_results])
    places = {id(item.case): index for index, item in enumerate(question.baseline.cases)}
    left: dict[str, dict[int, tuple[SideRun, ...]]] = {"A": {}, "B": {}}
    for pair, case in zip(chosen, timing.cases, strict=True):
        for version, runs in left.items():
            odd = (result for result in case.odd_results if result.version == version)
            place = places[id(pair.case)]
            judged = question.baseline.cases[place]
            side = tuple(SideRun(contents.of(result.after), is_repeat=True) for result in odd)
            runs[place] = as_found(judged.case.new, judged.original, pair.new, side) if version == "B" else side
    own = left["A"] if question.before.version is question.baseline.version else {}
    found = await in_thread(judge_timed_calls, question.baseline, question.after, left["B"], own)
    return tuple(
        replace(finding, code="differs_when_timed", message=f"a timed call left other results than untimed ones: {finding.message}")
        for finding in found
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
