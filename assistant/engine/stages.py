"""The commands that look and do not search: ``inspect``, ``check``, ``profile``, ``compare``. Each is an async iterator of events.

Every one ends with ``job_ended``; a failure of the lab or of the workload is told with its remedy and exit code 3.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from assistant.engine.assess import build_subject
from assistant.engine.cases import CONFIRM_REPEATS, Effort
from assistant.engine.counting import Counted
from assistant.engine.inspection import inspection_events
from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending, Job, Stopwatch
from assistant.engine.judging import changed_kernels, prepare, verify
from assistant.engine.reports import profile_event, speed_report, summary_event, verification_report
from assistant.engine.subject import Subject
from assistant.engine.workbench import Looked, count, look, predict_speed, repeat_limited, repeat_run
from assistant.model import events
from assistant.model.build import Build, BuildFailure, CompilerMissing, DiagnosticSeverity
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Problem, Severity
from assistant.model.source import Kernel
from assistant.model.verification import CannotJudge, Outcome, Verification
from assistant.ports import LabFailure

__all__ = ["check", "compare", "confirm_effort", "failed", "inspect", "profile"]

_ERRORS = frozenset(
    {
        "shared_race", "global_race", "missing_syncwarp", "out_of_bounds", "use_after_free", "uninitialised_read",
        "barrier_divergence", "bad_launch", "bad_warp_mask", "wild_pointer", "assertion", "timeout", "misaligned",
    }
)  # fmt: skip
"""Problem kinds for which ``check`` answers no; a host pointer in a kernel is a warning, some systems allow it."""

_SHOWN_DIGITS = 2
"""Decimal places of a ratio that people see."""


async def inspect(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
    """Kernels, launches, resources, occupancy, flags; nothing is run."""
    watch = Stopwatch(job, "build")
    build = await build_subject(job, subject, ())
    yield watch.ended(job.target.architecture)
    for event in inspection_events(job, subject, build):
        yield event
    match build:
        case BuildFailure():
            yield job.ended(Ending(NO, f"{build.compiler} does not compile it"))
        case CompilerMissing():
            yield job.ended(Ending(DONE, f"{len(subject.kernels)} kernels; no CUDA compiler, so no registers or occupancy"))
        case Build():
            yield job.ended(Ending(DONE, f"{len(subject.kernels)} kernels, compiled by {build.compiler} for {build.architecture}"))


async def check(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
    """Build it with the CUDA compiler, run it with every check on, run it again and compare."""
    build = await build_subject(job, subject, ())
    for event in _diagnostics(job, build):
        yield event
    if isinstance(build, BuildFailure):
        yield job.ended(Ending(NO, f"{build.compiler} does not compile it"))
        return
    watch = Stopwatch(job, "verify")
    counted = await count(job, subject, "check")
    if isinstance(counted, LabFailure):
        for event in failed(job, counted):
            yield event
        return
    yield watch.ended("run with race, bounds and initialisation checks")
    is_deterministic = await _is_deterministic(job, subject, counted)
    problems = _by_kernel(subject, counted)
    for kernel in subject.kernels:
        launches = sum(round(group.count) for item in counted.kernels if item.kernel == kernel for group in item.groups)
        yield events.CheckEnded(job.id, kernel.key, problems[kernel.key], is_deterministic if launches else None, launches)
    errors = [problem for found in problems.values() for problem in found if problem.kind in _ERRORS]
    if not counted.profiles:
        yield job.ended(Ending(CANNOT_ANSWER, "the workload launches no kernel"))
    elif errors:
        yield job.ended(Ending(NO, f"{len(errors)} problems"))
    else:
        yield job.ended(Ending(DONE, "no problem found by what was checked"))


async def profile(job: Job, subject: Subject) -> AsyncIterator[events.Event]:
    """Counters of the first launches in program order, then one summary per launch shape."""
    watch = Stopwatch(job, "profile")
    looked = await look(job, subject)
    if isinstance(looked, LabFailure):
        for event in failed(job, looked):
            yield event
        return
    yield watch.ended(f"{len(looked.counted.profiles)} launches")
    for event in _compiler_notes(job, looked):
        yield event
    for event in _launch_events(job, looked):
        yield event
    for item in looked.assessment.kernels:
        for launch in item.launches:
            yield summary_event(job, item, launch)
    missing = _never_launched(subject, looked)
    for kernel in missing:
        yield job.message(Severity.WARNING, f"{kernel.key} is never launched by this workload", line=kernel.line)
    if not looked.assessment.kernels:
        yield job.ended(Ending(CANNOT_ANSWER, "the workload launches none of the kernels asked about"))
    else:
        yield job.ended(Ending(DONE, f"{len(looked.assessment.kernels)} kernels profiled"))


async def compare(job: Job, a: Subject, b: Subject, is_strict: bool) -> AsyncIterator[events.Event]:
    """Is B right, and what does the model predict? Always confirms: fresh seeds, repeats, checks, boundary shapes."""
    watch = Stopwatch(job, "build")
    before = await look(job, a)
    if isinstance(before, LabFailure):
        for event in failed(job, replace(before, message=f"A: {before.message}")):
            yield event
        return
    after = await look(job, b, first_evidence=1 + sum(len(item.evidence) for item in before.assessment.kernels))
    yield watch.ended("both versions built and counted")
    if isinstance(after, LabFailure):
        async for event in _candidate_fails(job, a, b, after):
            yield event
        return
    async for event in _compare_looked(job, before, after, is_strict):
        yield event


async def _compare_looked(job: Job, before: Looked, after: Looked, is_strict: bool) -> AsyncIterator[events.Event]:
    watch = Stopwatch(job, "confirm")
    repeat = repeat_limited if after.subject.program.is_candidate else repeat_run
    again = await repeat(job, before.subject, before.counted)
    if isinstance(again, LabFailure):
        for event in failed(job, again):
            yield event
        return
    effort = confirm_effort(job)
    pairs = _pairs(before, after)
    outcomes: list[tuple[Verification, Comparison | None]] = []
    for old, new in pairs:
        key = frozenset({old.key})
        baseline = await prepare(job, before.subject, before.counted, before.version, key, effort, again)
        if isinstance(baseline, LabFailure):
            for event in failed(job, baseline):
                yield event
            return
        verdict = await verify(job, baseline, after.subject, after.counted, after.version)
        if not isinstance(verdict, Verification):
            failure = LabFailure("cannot_judge", verdict.reason, verdict.remedy) if isinstance(verdict, CannotJudge) else verdict
            for event in failed(job, failure):
                yield event
            return
        is_wrong = verdict.outcome is Outcome.FAIL
        speed = None if is_wrong else predict_speed(before.kernel(old.qualified_name), after.kernel(new.qualified_name))
        outcomes.append((verdict, speed))
        yield _comparison_event(job, before, after, old.key, verdict, speed)
    yield watch.ended(f"{len(pairs)} kernels")
    if len(pairs) > 1:
        yield _overall_event(job, before, after, outcomes)
    yield job.ended(_compare_ending(outcomes, is_strict))


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


def failed(job: Job, failure: LabFailure) -> Iterator[events.Event]:
    """What went wrong, what to try, and exit code 3; 1 where the CUDA compiler refused the source."""
    yield from job.failure(failure)
    code = NO if failure.kind == "not_built" else CANNOT_ANSWER
    yield job.ended(Ending(code, failure.message))


async def _candidate_fails(job: Job, a: Subject, b: Subject, failure: LabFailure) -> AsyncIterator[events.Event]:
    """A B that does not build or run is FAIL, not a failure of ours."""
    for event in job.failure(replace(failure, message=f"B: {failure.message}")):
        yield event
    if failure.kind in ("not_built", "crashed", "timed_out", "out_of_memory"):
        yield job.ended(Ending(NO, f"FAIL: {failure.message}"))
    else:
        yield job.ended(Ending(CANNOT_ANSWER, failure.message))


def _diagnostics(job: Job, build: Build | BuildFailure | CompilerMissing) -> Iterator[events.Event]:
    if isinstance(build, CompilerMissing):
        yield job.message(Severity.WARNING, f"no CUDA compiler: {build.reason}", build.remedy)
    elif build.diagnostics:
        yield events.Diagnostics(job.id, build.diagnostics)


def _compiler_notes(job: Job, looked: Looked) -> Iterator[events.Event]:
    build = looked.assessment.build
    if isinstance(build, CompilerMissing):
        reason = f"no CUDA compiler, so every counter is estimated: {build.reason}"
        yield job.message(Severity.WARNING, reason, build.remedy)
    elif isinstance(build, Build):
        warnings = tuple(d for d in build.diagnostics if d.severity is DiagnosticSeverity.WARNING)
        if warnings:
            yield events.Diagnostics(job.id, warnings)


def _launch_events(job: Job, looked: Looked) -> Iterator[events.Event]:
    """Counted launches of the selected kernels, in program order, as many as asked for."""
    shown = sorted(
        ((item, launch) for item in looked.assessment.kernels for launch in item.launches),
        key=lambda pair: pair[1].profile.index,
    )
    for item, launch in shown[: job.request.launch_count]:
        yield profile_event(job, item, launch)


def _never_launched(subject: Subject, looked: Looked) -> list[Kernel]:
    launched = {item.kernel.key for item in looked.assessment.kernels}
    return [kernel for kernel in subject.kernels if kernel.key not in launched]


def _by_kernel(subject: Subject, counted: Counted) -> dict[str, tuple[Problem, ...]]:
    """Problems by the kernel whose lines they stand on; those outside every kernel go to the first one launched."""
    found: dict[str, list[Problem]] = {kernel.key: [] for kernel in subject.kernels}
    launched = [item.kernel.key for item in counted.kernels] or list(found)[:1]
    for problem in counted.problems:
        owner = next(
            (kernel.key for kernel in subject.kernels if kernel.line <= problem.line <= subject.source.line_of(kernel.span.end)),
            launched[0],
        )
        found[owner].append(problem)
    return {key: tuple(problems) for key, problems in found.items()}


async def _is_deterministic(job: Job, subject: Subject, counted: Counted) -> bool | None:
    """Whether a second run tells the host the same bytes; None where it cannot be had."""
    again = await count(job, subject)
    if isinstance(again, LabFailure):
        return None
    return _same_transfers(counted, again) and _same_results(counted, again)


def _same_results(first: Counted, second: Counted) -> bool:
    return first.repeat_difference is None and second.repeat_difference is None


def _same_transfers(first: Counted, second: Counted) -> bool:
    if first.recording is None or second.recording is None:
        return True
    return [t.blob for t in first.recording.transfers] == [t.blob for t in second.recording.transfers]


def _pairs(before: Looked, after: Looked) -> list[tuple[Kernel, Kernel]]:
    """A's selected kernels with B's of the same name; the only kernels of both sides also pair."""
    old = list(dict.fromkeys(item.kernel for item in before.assessment.kernels))
    new = {item.kernel.qualified_name: item.kernel for item in after.assessment.kernels}
    paired = [(kernel, new[kernel.qualified_name]) for kernel in old if kernel.qualified_name in new]
    if not paired and len(old) == 1 and len(new) == 1:
        return [(old[0], next(iter(new.values())))]
    changed = changed_kernels(before.subject, after.subject)
    return [pair for pair in paired if pair[0].key in changed] or paired


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
        evidence=tuple(fact for looked in (before, after) for item in looked.assessment.kernels for fact in item.evidence),
        device=job.device,
    )


def _overall_event(
    job: Job, before: Looked, after: Looked, outcomes: list[tuple[Verification, Comparison | None]]
) -> events.ComparisonMade:
    """The worst verdict, and time(A)/time(B) over all kernels."""
    order = (Outcome.PASS, Outcome.NEEDS_DECISION, Outcome.FAIL)
    worst = max((verdict for verdict, _ in outcomes), key=lambda verdict: order.index(verdict.outcome))
    all_before = tuple(before.assessment.kernels)
    all_after = tuple(after.assessment.kernels)
    speed = None if worst.outcome is Outcome.FAIL else predict_speed(all_before, all_after)
    return _comparison_event(job, before, after, None, worst, speed)


def _compare_ending(outcomes: list[tuple[Verification, Comparison | None]], is_strict: bool) -> Ending:
    verdicts = {verdict.outcome for verdict, _ in outcomes}
    speeds = [speed for _, speed in outcomes if speed is not None]
    if not outcomes:
        return Ending(CANNOT_ANSWER, "no kernel of A is launched, so there is nothing to compare")
    if Outcome.FAIL in verdicts:
        return Ending(NO, "FAIL: B is not equivalent to A")
    words = ", ".join(f"{speed.outcome.value} {speed.ratio:.2f}x" for speed in speeds)
    verdict = "NEEDS_DECISION" if Outcome.NEEDS_DECISION in verdicts else "PASS"
    if any(speed.outcome is SpeedOutcome.SLOWER or _wholly_below_one(speed) for speed in speeds):
        return Ending(NO, f"{verdict}, but {words}")
    is_open = verdict == "NEEDS_DECISION" or any(speed.outcome is SpeedOutcome.INCONCLUSIVE for speed in speeds)
    return Ending(NO if is_strict and is_open else DONE, f"{verdict}, {words}")


def _wholly_below_one(speed: Comparison) -> bool:
    """Of a prediction without a measured error, what is shown decides: 1.00x is not below 1."""
    if speed.outcome is not SpeedOutcome.PREDICTED:
        return False
    return round(speed.ratio if speed.high is None else speed.high, _SHOWN_DIGITS) < 1.0
