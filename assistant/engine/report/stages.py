"""The commands that look at one source: ``inspect``, ``check``, ``profile``. Each emits what it finds as events and returns how it ends.

A failure of the lab or of the workload is reported with its remedy, and ends with exit code 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from assistant.engine.evaluate import (
    OTHER_ORDER,
    CountedRun,
    Evaluation,
    build_files,
    evaluate,
    evaluate_checked_failure,
    observe,
    on_hardware,
    own_build_hint,
    run_program,
)
from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending, Job, Stopwatch
from assistant.engine.report.checking import Repeats, launches_of
from assistant.engine.report.coach import launch_times
from assistant.engine.report.counted import launch_events, report_summaries
from assistant.engine.report.defects import problems_by_kernel
from assistant.engine.report.inspection import report_inspection
from assistant.engine.report.launch_facts import launch_facts_events
from assistant.engine.report.profile_report import ProfileReport, profile_report
from assistant.engine.report.reports import other_file
from assistant.engine.report.sampling import IN_PART, report_sampling, report_unchecked, report_uncounted
from assistant.engine.report.timeline import report_timeline
from assistant.engine.report.unreached import is_unreached, report_unlisted, report_unreached
from assistant.engine.source_version import SourceVersion
from assistant.model import events
from assistant.model.build import Build, BuildFailure, CompilerMissing, DiagnosticSeverity
from assistant.model.problems import is_refused, merge_problems
from assistant.model.profile import Problem, Severity
from assistant.model.source import Kernel
from assistant.ports.lab import NOT_MODELLED, NOT_RUN, STOPPED_AT, LabFailure, ProgramRun
from assistant.profile.problems import errors_among, listed, problems_in_words
from assistant.profile.quantity import counted_noun

__all__ = ["KeepReport", "check", "inspect", "profile"]

_LINES_PRINTED = 3
_MOST_PRINTED = 120
"""Characters shown of a line that the program printed."""
_SHOWN_ALL_THE_SAME = frozenset({"bad_status", "unsupported"})
"""Failures of a program of which counters are shown: of what it ran."""
KeepReport = Callable[[ProfileReport], None]


async def inspect(job: Job, version: SourceVersion) -> Ending:
    """Kernels, launches, resources, occupancy, flags; nothing is run. A live source's device code, once compiled, is reported first."""
    watch = Stopwatch(job, "build")
    watch.begin(job.target.architecture)
    if job.request.is_live and await job.lab.accepts(version.program, job.target.architecture):
        job.emit(events.Diagnostics(job.id, ()))
    build = await build_files(version, version.kernels, lambda about: job.lab.inspect(about.program, job.target.architecture))
    watch.end(job.target.architecture)
    report_inspection(job, version, build)
    kernels = counted_noun(len(version.kernels), "kernel")
    match build:
        case BuildFailure():
            return _not_compiled(job, version, build)
        case CompilerMissing():
            return Ending(DONE, f"{kernels}; no CUDA compiler, so no registers or occupancy")
        case Build():
            return Ending(DONE, f"{kernels}, compiled by {build.compiler} for {build.architecture}")


async def check(job: Job, version: SourceVersion) -> Ending:
    """Build it with the CUDA compiler, run it with every check on, run it again and compare."""
    Stopwatch(job, "build").begin(job.target.architecture)
    build = await build_files(version, version.kernels, lambda about: job.lab.inspect(about.program, job.target.architecture))
    _report_diagnostics(job, build)
    if isinstance(build, BuildFailure):
        return _not_compiled(job, version, build)
    watch = Stopwatch(job, "verify")
    watch.begin(f"runs {_named(version)} with race, bounds and initialisation checks")
    seen = await observe(job, version)
    if isinstance(seen, LabFailure):
        return _unseen(job, build, seen)
    watch.end("run with race, bounds and initialisation checks")
    failure = next((counted.failure for counted in seen if counted.failure is not None), None)
    problems = problems_by_kernel(version, seen)
    repeats = Repeats(version, seen, problems)
    is_partial = any(counted.is_counted_in_part for counted in seen)
    if is_partial:
        report_unchecked(job, seen)
    if any(counted.is_partial for counted in seen):
        repeats.compare(LabFailure("timed_out", "the program takes too long to be run twice", ""))
    elif repeats.are_open:
        Stopwatch(job, "verify").begin(f"runs {_named(version)} again and compares")
        repeats.compare(await run_program(job, version, order_seed=OTHER_ORDER))
    for text in (text for counted in seen for text in counted.left_out):
        job.say(Severity.WARNING, text)
    report_unlisted(job, version, seen)
    for kernel in version.kernels:
        found, launches = repeats.of(kernel), launches_of(version, kernel, seen)
        shown = problems[kernel.key]
        if is_unreached(version, kernel, seen) or not (launches.count or kernel in version.parsed.kernels):
            continue  # as is one of a header or another unit that this program does not use
        file = other_file(job, version.about(kernel).source.path)
        counts = (launches.count, launches.refused_count)
        job.emit(events.CheckEnded(job.id, kernel.key, shown, found.is_deterministic, *counts, found.reason, file))
    report_unreached(job, version, seen)
    job.emit(*launch_facts_events(job, version, seen))
    _report_printed(job, (counted.run for counted in seen if not counted.is_partial))
    reported = listed(*(problems[kernel.key] for kernel in version.kernels))
    errors = errors_among(reported)
    _doubt_sizes(job, version, reported)
    if failure is not None:
        job.say(Severity.WARNING if errors else Severity.ERROR, failure.message, None if errors else failure.remedy)
    ending = _check_ending(seen, reported, failure)
    return replace(ending, reason=f"{ending.reason}; {IN_PART}") if is_partial else ending


def _doubt_sizes(job: Job, version: SourceVersion, problems: Sequence[Problem]) -> None:
    """A declared array that is too short looks like an access out of bounds."""
    if version.declared and any(problem.kind == "out_of_bounds" for problem in problems):
        block = version.declared[0]
        message = "sizes are those that the workload block declares, which kernelopt init may have guessed: are its arrays long enough?"
        job.say(Severity.INFORMATION, message, f"look at {block.path.name}:{block.line}", line=block.line)


def _check_ending(seen: Sequence[CountedRun], problems: Sequence[Problem], failure: LabFailure | None) -> Ending:
    if errors_among(problems):
        return Ending(NO, problems_in_words(problems))
    if failure is not None:
        return Ending(CANNOT_ANSWER, failure.message)
    if not any(counted.profiles for counted in seen):
        return Ending(CANNOT_ANSWER, "the workload launches no kernel")
    return Ending(DONE, f"{problems_in_words(problems)} by what was checked")


async def profile(job: Job, version: SourceVersion, keep: KeepReport | None = None) -> Ending:
    """Counters of the first launches in program order, then one summary per launch shape; ``keep`` is given the whole as one value."""
    watch = Stopwatch(job, "profile")
    watch.begin(f"counts what {_named(version)} {'do' if len(version.kernels) > 1 else 'does'}")
    evaluation = failure = await evaluate(job, version)
    if isinstance(failure, LabFailure):
        evaluation = await evaluate_checked_failure(job, version) if failure.kind in _SHOWN_ALL_THE_SAME else failure
    if isinstance(evaluation, LabFailure):
        return job.failed(failure if isinstance(failure, LabFailure) else evaluation)
    watch.end(counted_noun(len(evaluation.counted.profiles), "launch", "launches"))
    _report_compiler_notes(job, evaluation)
    await report_timeline(job, evaluation)
    evaluation = await _with_hardware_counters(job, evaluation)
    launches = tuple(launch_events(job, evaluation))
    if keep is not None:
        keep(profile_report(job, evaluation, launches))
    job.emit(*launches)
    report_summaries(job, evaluation, await launch_times(job, evaluation))
    report_unlisted(job, version, (evaluation.counted,))
    report_unreached(job, version, (evaluation.counted,))
    for kernel in version.kernels:
        _report_not_run(job, version, evaluation, kernel)
    report_uncounted(job, evaluation.counted, evaluation.assessment.kernels)
    if not report_sampling(job, evaluation):
        _report_printed(job, (evaluation.counted.run,))
    if isinstance(failure, LabFailure):
        if failure.kind != "unsupported":
            job.say(Severity.WARNING, "these counters are of a program that did not succeed")
        return job.failed(failure)
    if not evaluation.assessment.kernels:
        return Ending(CANNOT_ANSWER, "the workload runs none of the kernels asked about")
    return Ending(DONE, f"{counted_noun(len(evaluation.assessment.kernels), 'kernel')} profiled")


def _report_printed(job: Job, runs: Iterable[ProgramRun | None]) -> None:
    """The last lines that the program printed, which may be its own verdict, and what of CUDA it called in vain."""
    if job.request.is_live:
        return  # no one waits for the program itself
    for run in (run for run in runs if run is not None):
        lines = run.stdout.decode("utf-8", "replace").strip().splitlines()
        words = " / ".join(line.strip()[:_MOST_PRINTED] for line in lines[-_LINES_PRINTED:] if line.strip())
        if words:
            job.say(Severity.INFORMATION, f"the program printed: {'… / ' if len(lines) > _LINES_PRINTED else ''}{words}")
        not_done = [text for text in run.unsupported if not text.startswith((NOT_RUN, STOPPED_AT, NOT_MODELLED))]
        if not_done:
            job.say(Severity.WARNING, f"not done on this lab: {', '.join(not_done)}")
        for text in run.unsupported:
            if text.startswith(NOT_MODELLED):
                job.say(Severity.WARNING, text)


async def _with_hardware_counters(job: Job, evaluation: Evaluation) -> Evaluation:
    """With the counters of the GPU, where it has any that can be read."""
    if job.lab.counters is None:
        return evaluation
    watch = Stopwatch(job, "profile")
    watch.begin(f"reads the counters of {job.lab.describe().device}")
    measured = await on_hardware(job, evaluation, job.lab.counters)
    if isinstance(measured, LabFailure):
        job.say(Severity.WARNING, f"{measured.message}; the emulator's counters are shown", measured.remedy)
        return evaluation
    for shortfall in measured.shortfalls:
        job.say(Severity.INFORMATION, f"{shortfall.message}; counters by {measured.method}", shortfall.remedy)
    watch.end(f"counters of the GPU by {measured.method}")
    return measured.evaluation


def _not_compiled(job: Job, version: SourceVersion, build: BuildFailure) -> Ending:
    if hint := own_build_hint(version, build.diagnostics):
        job.say(Severity.INFORMATION, hint)
    return Ending(NO, f"{build.compiler} does not compile it")


def _unseen(job: Job, build: Build | CompilerMissing, failure: LabFailure) -> Ending:
    """Why the checks did not run; without a CUDA compiler the emulator's own refusal of the source is an error found in it."""
    if failure.kind != "not_built" or isinstance(build, Build):
        return job.failed(failure)
    job.say_failure(failure)
    return Ending(NO, failure.message)


def _report_diagnostics(job: Job, build: Build | BuildFailure | CompilerMissing) -> None:
    if isinstance(build, CompilerMissing):
        job.say(Severity.WARNING, f"no CUDA compiler: {build.reason}", build.remedy)
    elif build.diagnostics:
        job.emit(events.Diagnostics(job.id, build.diagnostics))


def _report_compiler_notes(job: Job, evaluation: Evaluation) -> None:
    build = evaluation.assessment.build
    if isinstance(build, CompilerMissing):
        reason = f"no CUDA compiler, so every counter is estimated: {build.reason}"
        job.say(Severity.WARNING, reason, build.remedy)
    elif isinstance(build, Build):
        warnings = tuple(d for d in build.diagnostics if d.severity is DiagnosticSeverity.WARNING)
        if warnings:
            job.emit(events.Diagnostics(job.id, warnings))


def _named(version: SourceVersion) -> str:
    """The one kernel in question by name, or how many there are."""
    first, *others = version.kernels
    return counted_noun(1 + len(others), "kernel") if others else first.qualified_name


def _report_not_run(job: Job, version: SourceVersion, evaluation: Evaluation, kernel: Kernel) -> None:
    """The kernel's launches that were refused; where there is none at all, that."""
    profiles = [p for p in evaluation.counted.profiles if version.kernel_of(p.kernel) == kernel]
    for problem in merge_problems(problem for p in profiles if is_refused(p) for problem in p.problems):
        times = f" ({counted_noun(problem.count, 'launch', 'launches')})" if problem.count > 1 else ""
        line = problem.line if problem.line and problem.file == str(version.about(kernel).source.path) else kernel.line
        job.say(Severity.ERROR, f"a launch of {kernel.key} is refused: {problem.message}{times}", line=line)
    if not profiles and kernel in version.parsed.kernels and not is_unreached(version, kernel, (evaluation.counted,)):
        job.say(Severity.WARNING, f"{kernel.key} is never launched by this workload", line=kernel.line)
