"""The command ``compare``: is B right, and is it faster? Reports each verdict as it is made, and returns them all.

A B that does not build, crashes or ends with another status than 0 is FAIL; an A that does so cannot be compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import (
    CountedRun,
    Evaluation,
    evaluate,
    figures_of,
    observe,
    repeat_limited,
    repeat_run,
)
from assistant.engine.job import CANNOT_ANSWER, INTERNAL, NO, Ending, Job, Stopwatch
from assistant.engine.judge.at_once import begun, both, contents_bytes_of, in_parts, kernels_at_once, machine_bytes
from assistant.engine.judge.baseline import Baseline
from assistant.engine.judge.built_ahead import built_ahead
from assistant.engine.judge.changes import edited_kernels
from assistant.engine.judge.compared import ComparisonResult, UnjudgedKernel, Verdict, hashes_of, verdict_event
from assistant.engine.judge.ending import compare_ending
from assistant.engine.judge.judging import CandidateRuns, judge_runs, run_candidate, verify
from assistant.engine.judge.kernel_pairs import launch_failed, never_launched, not_judged, paired_kernels, refused_kernels
from assistant.engine.judge.moved import divided_results, judged_as_a_whole, may_be_moved, moved_work
from assistant.engine.judge.one_program import foreign_reading
from assistant.engine.judge.pairing import line_pairs, unpaired_launches
from assistant.engine.judge.predicting import KernelPair, predict_speed
from assistant.engine.judge.preparing import confirm_effort, judged_recording, prepare, run_original, with_tolerance
from assistant.engine.judge.program_speed import judged_region, speed_of_program, why_not_asked
from assistant.engine.judge.speed import SpeedQuestion, speed_of
from assistant.engine.judge.timing_verdict import Speed, overall_speed, with_findings
from assistant.engine.source_version import SourceVersion
from assistant.model.comparison import Comparison
from assistant.model.figures import BeforeAfter
from assistant.model.profile import Evidence, Problem, Severity
from assistant.model.source import Kernel
from assistant.model.verification import CannotJudge, Outcome, Verification, VerificationFinding, VerificationResult
from assistant.ports.lab import LabFailure
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.verify.problems import new_findings

__all__ = ["compare"]

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
    recording = judged_recording(job, before, again)
    not_asked = why_not_asked(job, before, after)
    if not_asked is not None:
        job.say(Severity.WARNING, not_asked, "name a function of the host that launches or copies, or main")
    refused = refused_kernels(before, after)
    unpaired = unpaired_launches(before.version, before.counted, after.counted) if not refused else None
    pairs = [] if unpaired is not None else paired_kernels(before, after)
    sides = _Sides(job, before, after, again)
    verdicts = _Verdicts(sides, is_paired=unpaired is None)
    unjudged = await verdicts.judge_program(unpaired) if unpaired is not None else None
    if unjudged is not None:
        return unjudged
    failures = list[LabFailure]()
    for some in in_parts(pairs, kernels_at_once(job.lab.at_once, machine_bytes(), contents_bytes_of(before))):
        async with begun([sides.run_kernel(*pair) for pair in some]) as ran:
            for pair, run in zip(some, ran, strict=True):
                failure = await verdicts.judge_kernel(*pair, await run)
                if failure is not None and failure not in failures:
                    job.say_failure(failure)
                    failures.append(failure)
    if failures:
        return ComparisonResult(Ending(CANNOT_ANSWER, failures[0].message), failure=failures[0])
    verdicts.report_others(refused)
    watch.end(counted_noun(len(pairs), "kernel"))
    return replace(await verdicts.result(len(pairs), is_strict), recording=recording)


class _Whole(Record):
    """The verdict of what reaches the host, and of declared workloads, and the speed of all launches."""

    result: VerificationResult
    speed: Speed


class _KernelRuns(Record):
    """Both versions on a kernel's cases."""

    baseline: Baseline | LabFailure
    candidate: CandidateRuns | CannotJudge | LabFailure
    """Why there are none, where the baseline is a failure."""


class _Sides(Record):
    """Both versions as they were evaluated."""

    job: Job
    before: Evaluation
    after: Evaluation
    second_run: CountedRun | None

    async def run_kernel(self, old: Kernel, new: Kernel) -> _KernelRuns:
        """A's kernel and B's on their cases; reports nothing, and knows of no other kernel."""
        job, before = self.job, replace(self.before, version=self.before.version.about(old))
        ran = await run_original(job, before, frozenset({old.key}), confirm_effort(job), self.second_run)
        if isinstance(ran, LabFailure):
            return _KernelRuns(ran, ran)
        if job.lab.at_once == 1:
            baseline = await with_tolerance(job, ran)
            return _KernelRuns(baseline, await run_candidate(job, baseline, self.after_about(new)))
        baseline, candidate = await both(with_tolerance(job, ran), run_candidate(job, ran, self.after_about(new)))
        return _KernelRuns(baseline, candidate.held_against(baseline) if isinstance(candidate, CandidateRuns) else candidate)

    def after_about(self, new: Kernel) -> Evaluation:
        """B with the file of this kernel in question."""
        return replace(self.after, version=self.after.version.about(new))

    def report(
        self, kernel: str | None, verification: Verification, speed: Comparison | None, figures: BeforeAfter | None = None
    ) -> Verdict:
        """The verdict, which is reported at once; of what is wrong no speed is reported."""
        is_failure = verification.outcome is Outcome.FAIL
        evidence = _evidence(self.before) + _evidence(self.after)
        verdict = Verdict(kernel, verification, None if is_failure else speed, evidence, None if is_failure else figures)
        self.job.emit(verdict_event(self.job, *hashes_of(self.before.version, self.after.version), verdict))
        return verdict


class _Verdicts:
    """The verdicts of one comparison, each reported as it is made, and what they leave open."""

    def __init__(self, sides: _Sides, is_paired: bool) -> None:
        """``is_paired``: launches correspond, so that kernels are judged one by one."""
        self._sides = sides
        self._job = sides.job
        self._made: list[Verdict] = []
        self._speeds: list[Speed] = []
        self._unjudged: list[UnjudgedKernel] = []
        self._untouched: list[UnjudgedKernel] = []
        """Kernels that the edit leaves as they are, and nothing can be said of."""
        self._whole: _Whole | None = None
        """The program's verdict, where a kernel's is seen in its light."""
        self._whole_failure: LabFailure | None = None
        before, after = sides.before, sides.after
        self._moved = moved_work(before, after)
        self._edited = edited_kernels(before.version, after.version)
        is_partial = before.counted.is_partial or after.counted.is_partial  # how often each step was made is not known then
        self._operations = judged_region(self._job, before, after) if is_paired and not is_partial else None

    async def judge_program(self, unpaired: str) -> ComparisonResult | None:
        """Where launches do not correspond, for this reason. The answer where there is no verdict."""
        job, program = self._job, await _judged_as_a_program(self._sides, unpaired)
        if isinstance(program, LabFailure):
            return _failed(job, program)
        for note in program.speed.notes:
            job.say(Severity.WARNING, note)
        if isinstance(program.result, CannotJudge):
            job.say(Severity.ERROR, program.result.reason, program.result.remedy)
            why = UnjudgedKernel(program.result.reason, program.result.remedy, program.result.code)
            return ComparisonResult(Ending(CANNOT_ANSWER, "cannot judge the program"), unjudged=(why,))
        self._speeds.append(program.speed)
        self._report(None, program.result, program.speed.comparison)
        return None

    async def judge_kernel(self, old: Kernel, new: Kernel, ran: _KernelRuns) -> LabFailure | None:
        """A's kernel and B's, as they ran. Why the lab could not answer; None where it did."""
        job, sides, baseline = self._job, self._sides, ran.baseline
        if isinstance(baseline, LabFailure):
            return baseline
        result = ran.candidate
        if isinstance(result, CandidateRuns):
            result = await judge_runs(job, baseline, sides.after_about(new), result)
        if isinstance(result, CannotJudge):
            reason = UnjudgedKernel(f"{old.key}: {result.reason}", result.remedy, result.code)
            (self._unjudged if not self._edited or old.key in self._edited else self._untouched).append(reason)
            return None
        if isinstance(result, LabFailure):
            return result
        is_first = self._whole is None
        seen = await self._seen_as_a_whole(result)
        if isinstance(seen, LabFailure):
            return seen
        if seen is not None and seen.outcome is not Outcome.FAIL:
            assert self._whole is not None
            self._report(old.key, seen, self._whole.speed.comparison if is_first else None)
        elif result.outcome is Outcome.FAIL:
            self._report(old.key, seen or result, None)
        else:
            await self._time(baseline, old, new, result)
        return None

    async def _seen_as_a_whole(self, result: Verification) -> Verification | LabFailure | None:
        """The kernel's verdict in the light of the whole program's; None where that says nothing about it."""
        divided = divided_results(self._sides.before, self._sides.after, result) if may_be_moved(result) else ()
        if not may_be_moved(result) or not (divided or self._moved is not None):
            return None
        reason = self._moved or _DIVIDED
        whole = self._whole or self._whole_failure or await _judged_as_a_program(self._sides, reason)
        if isinstance(whole, LabFailure):
            self._whole_failure = whole
            return whole
        self._whole = whole
        return judged_as_a_whole(result, whole.result, divided, reason)

    async def _time(self, baseline: Baseline, old: Kernel, new: Kernel, result: Verification) -> None:
        """Report a kernel that is not wrong, with its speed where that does not go into the whole program's."""
        job, before, after = self._job, self._sides.before, self._sides.after
        pair = KernelPair(before.kernel(old.qualified_name), after.kernel(new.qualified_name))
        figures = figures_of(job, pair.before, pair.after)
        if self._operations is not None and old.key not in self._edited:
            self._report(old.key, result, None, figures)
            return
        speed = await speed_of(job, SpeedQuestion(baseline, before, after, (pair,)), is_confirming=True)
        self._speeds.append(speed)
        _report_speed(job, old, new, speed)
        self._report(old.key, with_findings(result, speed), speed.comparison, figures, speed.light_ratio)

    def report_others(self, refused: Sequence[tuple[Kernel, Problem]]) -> None:
        """What cannot be judged, launches that no GPU runs (``refused``), and edited kernels that nothing launches."""
        for one in self._unjudged:
            self._job.say(Severity.ERROR, one.reason, one.remedy)
        for one in self._untouched if self._made else ():
            self._job.say(Severity.INFORMATION, f"{one.reason}; the edit leaves this kernel as it is")
        if not self._made:
            for one in self._untouched:
                self._job.say(Severity.ERROR, one.reason, one.remedy)
            self._unjudged += self._untouched
        for kernel, problem in refused:
            self._report(kernel.key, launch_failed(kernel, problem), None)
        for kernel in never_launched(self._sides.before, self._sides.after):
            self._report(kernel.key, not_judged(kernel), None)

    async def result(self, pair_count: int, is_strict: bool) -> ComparisonResult:
        """The answer, without its recording; where copies or fills differ the whole program's speed decides."""
        is_wrong = any(verdict.is_failure for verdict in self._made)
        if self._whole is None and self._operations is not None and self._made and not is_wrong:
            speed = await speed_of_program(self._job, self._sides.before, self._sides.after) or Speed(None)
            for note in speed.notes:
                self._job.say(Severity.WARNING, note)
            overall = _overall(self._sides, self._made, speed)
            # It alone decides: a kernel may take longer so that a copy can be left out.
            answers = [*(replace(verdict, speed=None) for verdict in self._made), overall]
            ending = _ending(answers, self._speeds, self._unjudged, pair_count, is_strict)
            return ComparisonResult(ending, (*self._made, overall), unjudged=tuple(self._unjudged))
        ending = _ending(self._made, self._speeds, self._unjudged, pair_count, is_strict)
        if len(self._made) > 1:
            self._made.append(_overall(self._sides, self._made, self._speeds if self._whole is None else self._whole.speed))
        return ComparisonResult(ending, tuple(self._made), unjudged=tuple(self._unjudged))

    def _report(
        self,
        kernel: str | None,
        verification: Verification,
        speed: Comparison | None,
        figures: BeforeAfter | None = None,
        light_ratio: float | None = None,
    ) -> None:
        self._made.append(replace(self._sides.report(kernel, verification, speed, figures), light_ratio=light_ratio))


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


async def _judged_as_a_program(sides: _Sides, reason: str) -> _Whole | LabFailure:
    """``reason``: why launches do not correspond."""
    job, before, after = sides.job, sides.before, sides.after
    baseline = await prepare(job, before, frozenset(), confirm_effort(job), sides.second_run)
    if isinstance(baseline, LabFailure):
        return baseline
    keys = frozenset(kernel.key for kernel in before.launched_kernels)
    result = await verify(job, replace(baseline, kernels=keys), after, is_as_a_whole=True)
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
