"""The command ``compare``: is B right, and is it faster? An async iterator of events that ends with ``job_ended``.

A B that does not build, crashes or ends with another status than 0 is FAIL; an A that does so cannot be compared with.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from assistant.engine.cases import CONFIRM_REPEATS, Effort
from assistant.engine.changes import changed_kernels, edited_kernels
from assistant.engine.counting import Counted
from assistant.engine.figures import figures_of
from assistant.engine.job import CANNOT_ANSWER, DONE, INTERNAL, NO, Ending, Job, Stopwatch
from assistant.engine.judging import line_pairs, prepare, unpaired_launches, verify
from assistant.engine.moved import may_be_moved, moved_work, right_as_a_whole
from assistant.engine.one_program import foreign_reading
from assistant.engine.predicting import KernelPair, predict_speed
from assistant.engine.reports import speed_report, verification_report
from assistant.engine.speed import Speed, Versions, overall_speed, speed_of, with_findings
from assistant.engine.stages import failed
from assistant.engine.subject import Subject
from assistant.engine.unpaired import unpaired_speed
from assistant.engine.workbench import Looked, look, observe, repeat_limited, repeat_run
from assistant.model import events
from assistant.model.comparison import Comparison, SpeedOutcome, speed_in_words
from assistant.model.problems import is_refused
from assistant.model.profile import Evidence, Problem, Severity
from assistant.model.source import Kernel
from assistant.model.verification import CannotJudge, Outcome, Verification, VerificationFinding, VerificationResult, verdict_in_words
from assistant.ports import LabFailure
from assistant.profile.quantity import counted_noun
from assistant.source.match import kernel_of_instance
from assistant.verify.problems import new_findings

__all__ = ["MODEL_FIT_RATIO", "KeepLooked", "compare", "compare_ending", "confirm_effort"]

_SHOWN_DIGITS = 2
"""Decimal places of a ratio that people see."""
MODEL_FIT_RATIO = 1.1
"""Factor within which half of the 36 launches stay that the performance model was calibrated on (docs/explanation/performance-model.md):
while its error on other kernels has no bound, a smaller difference is no answer."""
_FAILS_B = frozenset({"not_built", "bad_status", "crashed", "timed_out", "out_of_memory"})
"""Kinds of failure that speak against B; any other one is the lab's own."""


KeepLooked = Callable[[Looked, Looked], None]
"""Is given both versions as they were looked at, for whoever wants more of them than the events tell."""


async def compare(job: Job, a: Subject, b: Subject, is_strict: bool, keep: KeepLooked | None = None) -> AsyncIterator[events.Event]:
    """Is B right, and is it faster? Always confirms: fresh seeds, repeats, checks, boundary shapes."""
    watch = Stopwatch(job, "build")
    yield watch.started("counts what both versions do")
    before = await look(job, a)
    if isinstance(before, LabFailure):
        for event in failed(job, replace(before, message=f"A: {before.message}")):
            yield event
        return
    foreign = await foreign_reading(job, a, b)
    if foreign is not None:
        for event in failed(job, foreign):
            yield event
        return
    after = await look(job, b, first_evidence=1 + sum(len(item.evidence) for item in before.assessment.kernels))
    yield watch.ended("both versions built and counted")
    if isinstance(after, LabFailure):
        async for event in _b_fails(job, before, b, after):
            yield event
        return
    if keep is not None:
        keep(before, after)
    async for event in _compare_looked(job, before, after, is_strict):
        yield event


async def _compare_looked(job: Job, before: Looked, after: Looked, is_strict: bool) -> AsyncIterator[events.Event]:
    watch = Stopwatch(job, "confirm")
    yield watch.started("fresh values, repeats, checks, boundary shapes")
    repeat = repeat_limited if after.subject.program.is_candidate else repeat_run
    again = await repeat(job, before.subject, before.counted)
    if isinstance(again, LabFailure):
        for event in failed(job, again):
            yield event
        return
    effort = confirm_effort(job)
    refused = _refused(before, after)
    unpaired = unpaired_launches(before.subject, before.counted, after.counted) if not refused else None
    pairs = [] if unpaired is not None else _pairs(before, after)
    outcomes: list[tuple[Verification, Comparison | None]] = []
    speeds: list[Speed] = []
    unjudged: list[tuple[str, str | None]] = []
    if unpaired is not None:
        judged = await _judged_as_a_program(job, before, after, effort, again, unpaired)
        if isinstance(judged, LabFailure):
            for event in failed(job, judged):
                yield event
            return
        verdict, speed = judged
        for note in speed.notes:
            yield job.message(Severity.WARNING, note)
        if isinstance(verdict, CannotJudge):
            yield job.message(Severity.ERROR, verdict.reason, verdict.remedy)
            yield job.ended(Ending(CANNOT_ANSWER, "cannot judge the program"))
            return
        outcomes.append((verdict, None if verdict.outcome is Outcome.FAIL else speed.comparison))
        speeds.append(speed)
        yield _comparison_event(job, before, after, None, *outcomes[-1])
    moved = moved_work(before, after)
    whole: tuple[VerificationResult, Speed] | None = None
    edited, untouched = edited_kernels(before.subject, after.subject), list[tuple[str, str | None]]()
    for old, new in pairs:
        key = frozenset({old.key})
        baseline = await prepare(job, before.subject, before.counted, before.version, key, effort, again)
        if isinstance(baseline, LabFailure):
            for event in failed(job, baseline):
                yield event
            return
        verdict = await verify(job, baseline, after.subject, after.counted, after.version)
        if isinstance(verdict, CannotJudge):
            (unjudged if not edited or old.key in edited else untouched).append((f"{old.key}: {verdict.reason}", verdict.remedy))
            continue
        if isinstance(verdict, LabFailure):
            for event in failed(job, verdict):
                yield event
            return
        if moved is not None and may_be_moved(verdict):
            known = whole is not None
            judged = whole or await _judged_as_a_program(job, before, after, effort, again, moved)
            if isinstance(judged, LabFailure):
                for event in failed(job, judged):
                    yield event
                return
            whole, verdict = judged, right_as_a_whole(verdict, judged[0], moved)
            if verdict.outcome is not Outcome.FAIL:
                outcomes.append((verdict, None if known else judged[1].comparison))
                yield _comparison_event(job, before, after, old.key, *outcomes[-1])
                continue
        speed = Speed(None)
        pair = KernelPair(before.kernel(old.qualified_name), after.kernel(new.qualified_name))
        if verdict.outcome is not Outcome.FAIL:
            speed = await speed_of(job, Versions(baseline, before, after, (pair,)), is_confirming=True)
            speeds.append(speed)
            verdict = with_findings(verdict, speed)
            for note in speed.notes:
                yield job.message(Severity.WARNING, f"{old.key}: {note}")
            if speed.defect is not None:
                yield job.message(Severity.ERROR, f"{old.key}: {speed.defect}")
            if speed.advice is not None:
                yield job.message(Severity.INFORMATION, f"{new.key}: B is {speed.advice}")
        outcomes.append((verdict, None if verdict.outcome is Outcome.FAIL else speed.comparison))
        figures = None if verdict.outcome is Outcome.FAIL else figures_of(job, pair.before, pair.after)
        yield replace(_comparison_event(job, before, after, old.key, *outcomes[-1]), figures=figures)
    for reason, remedy in unjudged:
        yield job.message(Severity.ERROR, reason, remedy)
    for reason, _ in untouched if outcomes else ():
        yield job.message(Severity.INFORMATION, f"{reason}; the edit leaves this kernel as it is")
    if not outcomes:
        for reason, remedy in untouched:
            yield job.message(Severity.ERROR, reason, remedy)
        unjudged += untouched
    for kernel, problem in refused:
        outcomes.append((_launch_failed(kernel, problem), None))
        yield _comparison_event(job, before, after, kernel.key, *outcomes[-1])
    for kernel in _never_launched(before, after):
        outcomes.append((_not_judged(kernel), None))
        yield _comparison_event(job, before, after, kernel.key, *outcomes[-1])
    yield watch.ended(counted_noun(len(pairs), "kernel"))
    if len(outcomes) > 1:
        yield _overall_event(job, before, after, outcomes, speeds if whole is None else whole[1])
    has_failed = any(verdict.outcome is Outcome.FAIL for verdict, _ in outcomes)
    defects = [speed.defect for speed in speeds if speed.defect is not None]
    if defects and not has_failed:
        yield job.ended(Ending(INTERNAL, defects[0]))
    elif unjudged and not has_failed:
        yield job.ended(Ending(CANNOT_ANSWER, f"cannot judge {counted_noun(len(unjudged), 'kernel')} of {len(pairs)}"))
    else:
        yield job.ended(compare_ending(outcomes, is_strict))


def confirm_effort(job: Job) -> Effort:
    """Everything a confirmation does, on seeds that no screening has used."""
    return Effort(
        seeds=job.seeds[len(job.seeds) // 2 :],
        repeats=CONFIRM_REPEATS,
        mode="check",
        with_injected=True,
        with_boundary=True,
        is_confirming=True,
    )


async def _judged_as_a_program(
    job: Job, before: Looked, after: Looked, effort: Effort, again: Counted | None, reason: str
) -> tuple[VerificationResult, Speed] | LabFailure:
    """The verdict of what reaches the host, and of declared workloads, where launches do not correspond; and the speed of all launches."""
    baseline = await prepare(job, before.subject, before.counted, before.version, frozenset(), effort, again)
    if isinstance(baseline, LabFailure):
        return baseline
    keys = frozenset(item.kernel.key for item in before.assessment.kernels)
    verdict = await verify(job, replace(baseline, kernels=keys), after.subject, after.counted, after.version)
    if isinstance(verdict, LabFailure):
        return verdict
    if isinstance(verdict, CannotJudge) or verdict.outcome is Outcome.FAIL:
        return verdict, Speed(None)
    return verdict, await unpaired_speed(job, before, after, reason)


async def _b_fails(job: Job, before: Looked, b: Subject, failure: LabFailure) -> AsyncIterator[events.Event]:
    """A B that does not build or run is FAIL, with what the emulator saw of it; where the lab is at fault, there is no answer."""
    if failure.kind not in _FAILS_B:
        for event in failed(job, replace(failure, message=f"B: {failure.message}")):
            yield event
        return
    for event in job.diagnosed(failure):
        yield event
    findings = [VerificationFinding(failure.kind, Outcome.FAIL, f"B: {failure.message}")]
    if failure.kind != "not_built":
        findings += await _new_problems(job, before, b)
    keys = tuple(dict.fromkeys(item.kernel.key for item in before.assessment.kernels))
    yield events.ComparisonMade(
        job=job.id,
        kernel=keys[0] if len(keys) == 1 else None,
        oracle="program" if b.parsed.has_main else "declared",
        confirmed=True,
        a=before.subject.source.sha256,
        b=b.source.sha256,
        verification=events.VerificationReport(Outcome.FAIL.value, tuple(findings), (), (), (), ()),
        speed=None,
        evidence=_evidence(before),
        device=job.device,
    )
    yield job.ended(Ending(NO, f"FAIL: B: {failure.message}"))


async def _new_problems(job: Job, before: Looked, b: Subject) -> tuple[VerificationFinding, ...]:
    """What a run of B with all checks on shows and A does not have at that place."""
    seen = await observe(job, b)
    if isinstance(seen, LabFailure):
        return ()
    problems = [problem for counted in seen for problem in counted.problems]
    return new_findings(problems, before.counted.problems, line_pairs(before.subject, b))


def _pairs(before: Looked, after: Looked) -> list[tuple[Kernel, Kernel]]:
    """A's selected kernels with B's of the same name; the only kernels of both sides also pair."""
    old = list(dict.fromkeys(item.kernel for item in before.assessment.kernels))
    new = {item.kernel.qualified_name: item.kernel for item in after.assessment.kernels}
    paired = [(kernel, new[kernel.qualified_name]) for kernel in old if kernel.qualified_name in new]
    if not paired and len(old) == 1 and len(new) == 1:
        return [(old[0], next(iter(new.values())))]
    changed = changed_kernels(before.subject, after.subject)
    return [pair for pair in paired if pair[0].key in changed] or paired


def _refused(before: Looked, after: Looked) -> list[tuple[Kernel, Problem]]:
    """A's kernels of which B launches only what no GPU runs, each with the first refusal."""
    paired = {old.key for old, _ in _pairs(before, after)}
    refusals: dict[str, Problem] = {}
    for profile in after.counted.profiles:
        kernel = kernel_of_instance(after.subject.parsed, profile.kernel)
        if kernel is not None and is_refused(profile):
            refusals.setdefault(kernel.qualified_name, profile.problems[0])
    launched = dict.fromkeys(item.kernel for item in before.assessment.kernels)
    left = [kernel for kernel in launched if kernel.key not in paired and kernel.qualified_name in refusals]
    return [(kernel, refusals[kernel.qualified_name]) for kernel in left]


def _launch_failed(kernel: Kernel, problem: Problem) -> Verification:
    finding = VerificationFinding(
        "launch_failed", Outcome.FAIL, f"every launch is refused: {problem.message}", kernel.key, problem.line or None
    )
    return Verification(Outcome.FAIL, (finding,), (), (), "none", (), ())


def _never_launched(before: Looked, after: Looked) -> list[Kernel]:
    """Kernels in question whose code B changes and that A's workload does not launch."""
    launched = {item.kernel.key for item in before.assessment.kernels}
    edited = edited_kernels(before.subject, after.subject)
    return [kernel for kernel in before.subject.kernels if kernel.key in edited - launched]


def _not_judged(kernel: Kernel) -> Verification:
    message = f"{kernel.key} is changed, but the workload never launches it, so nothing was compared"
    finding = VerificationFinding("not_judged", Outcome.NEEDS_DECISION, message, kernel.key, kernel.line)
    return Verification(Outcome.NEEDS_DECISION, (finding,), (), (), "none", (), ())


def _comparison_event(
    job: Job, before: Looked, after: Looked, kernel: str | None, verdict: Verification, speed: Comparison | None
) -> events.ComparisonMade:
    return events.ComparisonMade(
        job=job.id,
        kernel=kernel,
        oracle=verdict.oracle,
        confirmed=True,
        a=before.subject.source.sha256,
        b=after.subject.source.sha256,
        verification=verification_report(verdict),
        speed=None if speed is None else speed_report(speed),
        evidence=_evidence(before) + _evidence(after),
        device=job.device,
    )


def _evidence(looked: Looked) -> tuple[Evidence, ...]:
    return tuple(fact for item in looked.assessment.kernels for fact in item.evidence)


def _overall_event(
    job: Job, before: Looked, after: Looked, outcomes: list[tuple[Verification, Comparison | None]], speeds: list[Speed] | Speed
) -> events.ComparisonMade:
    """The worst verdict, and time(A)/time(B) over all kernels. ``speeds``: of each kernel, or one of all launches."""
    order = (Outcome.PASS, Outcome.NEEDS_DECISION, Outcome.FAIL)
    worst = max((verdict for verdict, _ in outcomes), key=lambda verdict: order.index(verdict.outcome))
    if worst.outcome is Outcome.FAIL:
        return _comparison_event(job, before, after, None, worst, None)
    if isinstance(speeds, Speed):
        return _comparison_event(job, before, after, None, worst, speeds.comparison)
    predicted = predict_speed((KernelPair(tuple(before.assessment.kernels), tuple(after.assessment.kernels)),))
    return _comparison_event(job, before, after, None, worst, overall_speed(job, speeds, predicted))


def compare_ending(outcomes: Sequence[tuple[Verification, Comparison | None]], is_strict: bool) -> Ending:
    """What all verdicts together answer, in one line and as an exit code."""
    verdicts = {verdict.outcome for verdict, _ in outcomes}
    speeds = [speed for _, speed in outcomes if speed is not None]
    if not outcomes:
        return Ending(CANNOT_ANSWER, "no kernel of A is launched, so there is nothing to compare")
    if Outcome.FAIL in verdicts:
        return Ending(NO, "FAIL: B is not equivalent to A")
    words = ", ".join(speed_in_words(speed.outcome.value, speed.ratio, speed.caveats) for speed in speeds) or "no speed predicted"
    caveats = tuple(dict.fromkeys(text for verdict, _ in outcomes for text in verdict.caveats))
    verdict = verdict_in_words("NEEDS_DECISION" if Outcome.NEEDS_DECISION in verdicts else "PASS", caveats)
    if any(speed.outcome is SpeedOutcome.SLOWER or _wholly_below_one(speed) for speed in speeds):
        return Ending(NO, f"{verdict}, but {words}")
    is_open = Outcome.NEEDS_DECISION in verdicts or any(_is_undecided(speed) for speed in speeds)
    return Ending(NO if is_strict and is_open else DONE, f"{verdict}, {words}")


def _wholly_below_one(speed: Comparison) -> bool:
    """A prediction of which even the upper bound is below 1; the model's fit bounds it where it has no interval."""
    if speed.outcome is not SpeedOutcome.PREDICTED:
        return False
    high = speed.ratio * MODEL_FIT_RATIO if speed.high is None else speed.high
    return round(high, _SHOWN_DIGITS) < 1.0


def _is_undecided(speed: Comparison) -> bool:
    """INCONCLUSIVE, or shown as predicted slower by less than the model can tell apart."""
    if speed.outcome is SpeedOutcome.PREDICTED:
        return round(speed.ratio, _SHOWN_DIGITS) < 1.0
    return speed.outcome is SpeedOutcome.INCONCLUSIVE
