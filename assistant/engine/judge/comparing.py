"""The command ``compare``: is B right, and is it faster? Reports each verdict as it is made, and returns them all.

A B that does not build, crashes or ends with another status than 0 is FAIL; an A that does so cannot be compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import (
    CONFIRM_REPEATS,
    CountedRun,
    Effort,
    Evaluation,
    evaluate,
    figures_of,
    observe,
    repeat_limited,
    repeat_run,
)
from assistant.engine.job import CANNOT_ANSWER, INTERNAL, NO, Ending, Job, Stopwatch
from assistant.engine.judge.baseline import Baseline
from assistant.engine.judge.built_ahead import built_ahead
from assistant.engine.judge.changes import changed_kernels, edited_kernels
from assistant.engine.judge.compared import ComparisonResult, UnjudgedKernel, Verdict, hashes_of, verdict_event
from assistant.engine.judge.ending import compare_ending
from assistant.engine.judge.judging import verify
from assistant.engine.judge.moved import divided_results, judged_as_a_whole, may_be_moved, moved_work
from assistant.engine.judge.one_program import foreign_reading
from assistant.engine.judge.pairing import line_pairs, unpaired_launches
from assistant.engine.judge.predicting import KernelPair, predict_speed
from assistant.engine.judge.preparing import judged_recording, prepare
from assistant.engine.judge.program_speed import judged_region, speed_of_program, why_not_asked
from assistant.engine.judge.speed import SpeedQuestion, speed_of
from assistant.engine.judge.timing_verdict import Speed, overall_speed, with_findings
from assistant.engine.source_version import SourceVersion
from assistant.model.comparison import Comparison
from assistant.model.figures import BeforeAfter
from assistant.model.problems import is_refused
from assistant.model.profile import Evidence, Problem, Severity
from assistant.model.source import Kernel
from assistant.model.verification import CannotJudge, Outcome, Verification, VerificationFinding, VerificationResult
from assistant.ports.lab import LabFailure
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.verify.problems import new_findings

__all__ = ["compare", "confirm_effort"]

_SHOWING_S = 10.0
"""For a B that did not end in its time to show why, with every check on: what it waits for in vain shows in its first turns."""
_DIVIDED = "B's blocks share the work of a launch otherwise"
_FAILS_B = frozenset({"not_built", "bad_status", "crashed", "timed_out", "out_of_memory"})
"""Kinds of failure that speak against B; any other one is the lab's own."""


async def compare(job: Job, a: SourceVersion, b: SourceVersion, is_strict: bool) -> ComparisonResult:
    """Is B right, and is it faster? Always confirms: fresh seeds, repeats, checks, boundary shapes."""
    async with built_ahead(job, a, b):
        return await _compare(job, a, b, is_strict)


async def _compare(job: Job, a: SourceVersion, b: SourceVersion, is_strict: bool) -> ComparisonResult:
    watch = Stopwatch(job, "build")
    watch.begin("counts what both versions do")
    before = await evaluate(job, a)
    if isinstance(before, LabFailure):
        return _failed(job, replace(before, message=f"A: {before.message}"))
    foreign = await foreign_reading(job, a, b)
    if foreign is not None:
        return _failed(job, foreign)
    after = await evaluate(job, b, first_evidence=before.next_evidence)
    watch.end("both versions built and counted")
    if isinstance(after, LabFailure):
        return await _b_fails(job, before, b, after)
    answer = await _compare_evaluated(job, before, after, is_strict)
    return replace(answer, before=before, after=after)


async def _compare_evaluated(job: Job, before: Evaluation, after: Evaluation, is_strict: bool) -> ComparisonResult:
    watch = Stopwatch(job, "confirm")
    watch.begin("fresh values, repeats, checks, boundary shapes")
    repeat = repeat_limited if after.version.program.is_candidate else repeat_run
    again = await repeat(job, before.version, before.counted)
    if isinstance(again, LabFailure):
        return _failed(job, again)
    sides, recording = _Sides(job, before, after, again), judged_recording(job, before, again)
    not_asked = why_not_asked(job, before, after)
    if not_asked is not None:
        job.say(Severity.WARNING, not_asked, "name a function of the host that launches or copies, or main")
    refused = _refused(before, after)
    unpaired = unpaired_launches(before.version, before.counted, after.counted) if not refused else None
    pairs = [] if unpaired is not None else _pairs(before, after)
    verdicts: list[Verdict] = []
    speeds: list[Speed] = []
    unjudged: list[UnjudgedKernel] = []
    whole: _Whole | None = None
    if unpaired is not None:
        program = await _judged_as_a_program(sides, unpaired)
        if isinstance(program, LabFailure):
            return _failed(job, program)
        for note in program.speed.notes:
            job.say(Severity.WARNING, note)
        if isinstance(program.result, CannotJudge):
            job.say(Severity.ERROR, program.result.reason, program.result.remedy)
            why = UnjudgedKernel(program.result.reason, program.result.remedy, program.result.code)
            return ComparisonResult(Ending(CANNOT_ANSWER, "cannot judge the program"), unjudged=(why,))
        speeds.append(program.speed)
        verdicts.append(sides.report(None, program.result, program.speed.comparison))
    moved = moved_work(before, after)
    edited, untouched = edited_kernels(before.version, after.version), list[UnjudgedKernel]()
    is_partial = before.counted.is_partial or after.counted.is_partial  # how often each step was made is not known then
    operations = None if unpaired is not None or is_partial else judged_region(job, before, after)
    for old, new in pairs:
        baseline = await sides.baseline(frozenset({old.key}), old)
        if isinstance(baseline, LabFailure):
            return _failed(job, baseline)
        result = await verify(job, baseline, replace(after, version=after.version.about(new)))
        if isinstance(result, CannotJudge):
            (unjudged if not edited or old.key in edited else untouched).append(
                UnjudgedKernel(f"{old.key}: {result.reason}", result.remedy, result.code)
            )
            continue
        if isinstance(result, LabFailure):
            return _failed(job, result)
        divided = divided_results(before, after, result) if may_be_moved(result) else ()
        if may_be_moved(result) and (divided or moved is not None):
            reason = moved or _DIVIDED
            is_first, judged = whole is None, whole or await _judged_as_a_program(sides, reason)
            if isinstance(judged, LabFailure):
                return _failed(job, judged)
            whole, result = judged, judged_as_a_whole(result, judged.result, divided, reason)
            if result.outcome is not Outcome.FAIL:
                verdicts.append(sides.report(old.key, result, judged.speed.comparison if is_first else None))
                continue
        if result.outcome is Outcome.FAIL:
            verdicts.append(sides.report(old.key, result, None))
            continue
        pair = KernelPair(before.kernel(old.qualified_name), after.kernel(new.qualified_name))
        if operations is not None and old.key not in edited:
            verdicts.append(sides.report(old.key, result, None, figures_of(job, pair.before, pair.after)))
            continue
        speed = await speed_of(job, SpeedQuestion(baseline, before, after, (pair,)), is_confirming=True)
        speeds.append(speed)
        _report_speed(job, old, new, speed)
        verdict = sides.report(old.key, with_findings(result, speed), speed.comparison, figures_of(job, pair.before, pair.after))
        verdicts.append(replace(verdict, light_ratio=speed.light_ratio))
    for one in unjudged:
        job.say(Severity.ERROR, one.reason, one.remedy)
    for one in untouched if verdicts else ():
        job.say(Severity.INFORMATION, f"{one.reason}; the edit leaves this kernel as it is")
    if not verdicts:
        for one in untouched:
            job.say(Severity.ERROR, one.reason, one.remedy)
        unjudged += untouched
    verdicts += [sides.report(kernel.key, _launch_failed(kernel, problem), None) for kernel, problem in refused]
    verdicts += [sides.report(kernel.key, _not_judged(kernel), None) for kernel in _never_launched(before, after)]
    watch.end(counted_noun(len(pairs), "kernel"))
    if whole is None and operations is not None and verdicts and not any(verdict.is_failure for verdict in verdicts):
        speed = await speed_of_program(job, before, after) or Speed(None)
        for note in speed.notes:
            job.say(Severity.WARNING, note)
        whole_verdict = _overall(sides, verdicts, speed)
        # It alone decides: a kernel may take longer so that a copy can be left out.
        answers = [*(replace(verdict, speed=None) for verdict in verdicts), whole_verdict]
        ending = _ending(answers, speeds, unjudged, len(pairs), is_strict)
        return ComparisonResult(ending, (*verdicts, whole_verdict), unjudged=tuple(unjudged), recording=recording)
    ending = _ending(verdicts, speeds, unjudged, len(pairs), is_strict)
    if len(verdicts) > 1:
        verdicts.append(_overall(sides, verdicts, speeds if whole is None else whole.speed))
    return ComparisonResult(ending, tuple(verdicts), unjudged=tuple(unjudged), recording=recording)


class _Whole(Record):
    """The verdict of what reaches the host, and of declared workloads, and the speed of all launches."""

    result: VerificationResult
    speed: Speed


class _Sides(Record):
    """Both versions as they were evaluated."""

    job: Job
    before: Evaluation
    after: Evaluation
    second_run: CountedRun | None

    async def baseline(self, kernels: frozenset[str], about: Kernel | None = None) -> Baseline | LabFailure:
        """The cases of these kernels of A, and A on them, with the file of ``about`` in question; None: the one that is."""
        before = self.before if about is None else replace(self.before, version=self.before.version.about(about))
        return await prepare(self.job, before, kernels, confirm_effort(self.job), self.second_run)

    def report(
        self, kernel: str | None, verification: Verification, speed: Comparison | None, figures: BeforeAfter | None = None
    ) -> Verdict:
        """The verdict, which is reported at once; of what is wrong no speed is reported."""
        is_failure = verification.outcome is Outcome.FAIL
        evidence = _evidence(self.before) + _evidence(self.after)
        verdict = Verdict(kernel, verification, None if is_failure else speed, evidence, None if is_failure else figures)
        self.job.emit(verdict_event(self.job, *hashes_of(self.before.version, self.after.version), verdict))
        return verdict


def _report_speed(job: Job, old: Kernel, new: Kernel, speed: Speed) -> None:
    for note in speed.notes:
        job.say(Severity.WARNING, f"{old.key}: {note}")
    if speed.defect is not None:
        job.say(Severity.ERROR, f"{old.key}: {speed.defect}")
    if speed.advice is not None:
        job.say(Severity.INFORMATION, f"{new.key}: B is {speed.advice}")


def _ending(
    verdicts: Sequence[Verdict], speeds: Sequence[Speed], unjudged: Sequence[UnjudgedKernel], pair_count: int, is_strict: bool
) -> Ending:
    if not any(verdict.is_failure for verdict in verdicts):
        defect = next((speed.defect for speed in speeds if speed.defect is not None), None)
        if defect is not None:
            return Ending(INTERNAL, defect)
        if unjudged:
            return Ending(CANNOT_ANSWER, f"cannot judge {counted_noun(len(unjudged), 'kernel')} of {pair_count}")
    return compare_ending([(verdict.verification, verdict.speed) for verdict in verdicts], is_strict)


def _failed(job: Job, failure: LabFailure) -> ComparisonResult:
    return ComparisonResult(job.failed(failure), failure=failure)


def confirm_effort(job: Job) -> Effort:
    """Everything a confirmation does, on seeds that no screening has used."""
    return Effort(
        seeds=job.seeds[len(job.seeds) // 2 :],
        repeats=CONFIRM_REPEATS,
        mode="check",
        with_boundary=True,
        is_confirming=True,
    )


async def _judged_as_a_program(sides: _Sides, reason: str) -> _Whole | LabFailure:
    """``reason``: why launches do not correspond."""
    job, before, after = sides.job, sides.before, sides.after
    baseline = await sides.baseline(frozenset())
    if isinstance(baseline, LabFailure):
        return baseline
    keys = frozenset(kernel.key for kernel in before.launched_kernels)
    result = await verify(job, replace(baseline, kernels=keys), after)
    if isinstance(result, LabFailure):
        return result
    if isinstance(result, CannotJudge) or result.outcome is Outcome.FAIL:
        return _Whole(result, Speed(None))
    return _Whole(result, await speed_of_program(job, before, after, reason) or Speed(None))


async def _b_fails(job: Job, before: Evaluation, b: SourceVersion, failure: LabFailure) -> ComparisonResult:
    """A B that does not build or run is FAIL, with what the emulator saw of it; where the lab is at fault, there is no answer."""
    if failure.kind not in _FAILS_B:
        return _failed(job, replace(failure, message=f"B: {failure.message}"))
    job.say_errors(failure)
    findings = [VerificationFinding(failure.kind, Outcome.FAIL, f"B: {failure.message}")]
    if failure.kind != "not_built":
        limits = replace(job.limits, wall_s=min(job.limits.wall_s, _SHOWING_S)) if failure.kind == "timed_out" else job.limits
        findings += await _new_problems(replace(job, limits=limits), before, b)
    keys = tuple(kernel.key for kernel in before.launched_kernels)
    oracle = "program" if b.has_main else "declared"
    verification = Verification(Outcome.FAIL, tuple(findings), (), (), oracle, (), ())
    verdict = Verdict(keys[0] if len(keys) == 1 else None, verification, None, _evidence(before))
    job.emit(verdict_event(job, *hashes_of(before.version, b), verdict))
    return ComparisonResult(Ending(NO, f"FAIL: B: {failure.message}"), (verdict,), before=None, failure=failure)


async def _new_problems(job: Job, before: Evaluation, b: SourceVersion) -> tuple[VerificationFinding, ...]:
    """What a run of B with all checks on shows and A does not have at that place."""
    seen = await observe(job, b)
    if isinstance(seen, LabFailure):
        return ()
    problems = [problem for counted in seen for problem in counted.problems]
    return new_findings(problems, before.counted.problems, line_pairs(before.version, b))


def _pairs(before: Evaluation, after: Evaluation) -> list[tuple[Kernel, Kernel]]:
    """A's selected kernels with B's of the same name; the only kernels of both sides also pair."""
    old = before.launched_kernels
    new = {item.kernel.qualified_name: item.kernel for item in after.assessment.kernels}
    paired = [(kernel, new[kernel.qualified_name]) for kernel in old if kernel.qualified_name in new]
    if not paired and len(old) == 1 and len(new) == 1:
        return [(old[0], next(iter(new.values())))]
    changed = changed_kernels(before.version, after.version)
    return [pair for pair in paired if pair[0].key in changed] or paired


def _refused(before: Evaluation, after: Evaluation) -> list[tuple[Kernel, Problem]]:
    """A's kernels of which B launches only what no GPU runs, each with the first refusal."""
    paired = {old.key for old, _ in _pairs(before, after)}
    refusals: dict[str, Problem] = {}
    for profile in after.counted.profiles:
        kernel = after.version.kernel_of(profile.kernel)
        if kernel is not None and is_refused(profile):
            refusals.setdefault(kernel.qualified_name, profile.problems[0])
    left = [kernel for kernel in before.launched_kernels if kernel.key not in paired and kernel.qualified_name in refusals]
    return [(kernel, refusals[kernel.qualified_name]) for kernel in left]


def _launch_failed(kernel: Kernel, problem: Problem) -> Verification:
    finding = VerificationFinding(
        "launch_failed", Outcome.FAIL, f"every launch is refused: {problem.message}", kernel.key, problem.line or None
    )
    return Verification(Outcome.FAIL, (finding,), (), (), "none", (), ())


def _never_launched(before: Evaluation, after: Evaluation) -> list[Kernel]:
    """Kernels in question whose code B changes and that A's workload does not launch."""
    launched = {kernel.key for kernel in before.launched_kernels}
    edited = edited_kernels(before.version, after.version)
    return [kernel for kernel in before.version.kernels if kernel.key in edited - launched]


def _not_judged(kernel: Kernel) -> Verification:
    message = f"{kernel.key} is changed, but the workload never launches it, so nothing was compared"
    finding = VerificationFinding("not_judged", Outcome.NEEDS_DECISION, message, kernel.key, kernel.line)
    return Verification(Outcome.NEEDS_DECISION, (finding,), (), (), "none", (), ())


def _evidence(evaluation: Evaluation) -> tuple[Evidence, ...]:
    return tuple(fact for item in evaluation.assessment.kernels for fact in item.evidence)


def _overall(sides: _Sides, verdicts: Sequence[Verdict], speeds: Sequence[Speed] | Speed) -> Verdict:
    """The worst verdict, and time(A)/time(B) over all kernels. ``speeds``: of each kernel, or one of all launches."""
    worst = max((verdict.verification for verdict in verdicts), key=lambda verification: verification.outcome.severity)
    if worst.outcome is Outcome.FAIL:
        return sides.report(None, worst, None)
    if isinstance(speeds, Speed):
        return sides.report(None, worst, speeds.comparison)
    predicted = predict_speed((KernelPair(tuple(sides.before.assessment.kernels), tuple(sides.after.assessment.kernels)),))
    return sides.report(None, worst, overall_speed(sides.job, speeds, predicted))
