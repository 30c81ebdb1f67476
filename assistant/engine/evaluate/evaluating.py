"""Look at one version of a source: run its workload with counters on, build it, assess it. One call for originals and candidates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from assistant.config import find_project
from assistant.engine.evaluate.assess import assess
from assistant.engine.evaluate.assessment import OTHER_ORDER, Assessment, CountedRun
from assistant.engine.evaluate.cases import declared_cases
from assistant.engine.evaluate.counting import count_cases, run_in_time, run_program
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.evaluate.judged_case import Effort, write_cases
from assistant.engine.evaluate.live import count_live
from assistant.engine.evaluate.recount import is_moderate, proposed_corrections, with_second_run
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.source_version import SourceVersion, as_candidate, holder_of
from assistant.model.build import Build, BuildFailure, Diagnostic, DiagnosticSeverity, is_incomplete
from assistant.model.profile import Correction
from assistant.model.program import ProgramOrigin
from assistant.ports.lab import LabFailure
from assistant.program.build_files import build_hint
from assistant.program.python_texts import text_in_python

__all__ = [
    "count",
    "evaluate",
    "evaluate_checked_failure",
    "evaluate_failed",
    "observe",
    "repeat_limited",
    "repeat_run",
    "without_workload",
]

_CUDA_UNIT = ".cu"
_MISSING = re.compile(
    r"no such file|file not found|cannot open source|undefined|undeclared|not declared|unknown type name|does not name a type|unresolved"
    r"|#error|error directive",
    re.IGNORECASE,
)
"""In the messages of NVRTC, nvcc, g++, clang and linkers: a file, a name or a symbol that another build's flags may bring. They have no
common codes."""
_COUNTING_SEED = 20240229
"""Declared shapes are counted on one fixed draw, so that two versions are counted on the same values."""


async def count(
    job: Job, version: SourceVersion, mode: str = "count", corrections: tuple[Correction, ...] = (), order_seed: int = 0
) -> CountedRun | LabFailure:
    """Run the version's workload: the arrays bound to it, else its ``main()``, which must succeed, else its declared shapes.

    ``order_seed`` as in ``Lab.run``, for a ``main()``.
    """
    if version.selection.live is not None:
        return await count_live(job, version, version.selection.live, mode, corrections)
    if version.has_main:
        counted = await run_program(job, version, mode, corrections, order_seed)
        return counted if isinstance(counted, LabFailure) else counted.failure or counted
    if not version.declared:
        return without_workload(version)
    return await _count_declared(job, version, mode, corrections)


async def _count_in_time(job: Job, version: SourceVersion) -> CountedRun | LabFailure:
    if version.selection.live is not None or not version.has_main:
        return await count(job, version)
    counted = await run_in_time(job, version)
    return counted if isinstance(counted, LabFailure) else counted.failure or counted


async def observe(job: Job, version: SourceVersion) -> tuple[CountedRun, ...] | LabFailure:
    """Every workload of the version, ``main()`` and declared shapes alike, run with all checks on, however the program ends.

    Of a program that takes too long for the lab a part is run.
    """
    if version.selection.live is not None:
        live = await count_live(job, version, version.selection.live, "check")
        return live if isinstance(live, LabFailure) else (live,)
    if not version.has_main and not version.declared:
        return without_workload(version)
    seen: list[CountedRun] = []
    for run in ((run_in_time,) if version.has_main else ()) + ((_count_declared,) if version.declared else ()):
        counted = await run(job, version, "check")
        if isinstance(counted, LabFailure):
            return counted
        seen.append(counted)
    return tuple(seen)


async def _count_declared(job: Job, version: SourceVersion, mode: str, corrections: tuple[Correction, ...] = ()) -> CountedRun | LabFailure:
    effort = Effort((_COUNTING_SEED,), 1, mode, with_boundary=False, is_confirming=False)
    cases = [case for workload in version.declared for case in declared_cases(version, workload, effort)]
    written = write_cases(job.scratch / new_id("K"), [case.new for case in cases])
    startable = tuple(sorted({launch.kernel for case in cases for launch in case.new.recording.launches}))
    return await count_cases(job, version, written, startable, mode, corrections)


async def evaluate(job: Job, version: SourceVersion, first_evidence: int = 1) -> Evaluation | LabFailure:
    """Count and assess; a source that the CUDA compiler refuses is a failure of kind ``not_built``.

    A program that takes too long for the lab is counted in part (``CountedRun.is_counted_in_part``).
    """
    counted = await _count_in_time(job, version)
    if isinstance(counted, LabFailure):
        return await _blamed(job, version, counted)
    assessment = await assess(job, version, counted, first_evidence)
    is_whole = is_moderate(counted) and not counted.is_counted_in_part
    if isinstance(assessment, Assessment) and isinstance(assessment.build, Build) and is_whole:
        counted = await _count_again(job, version, counted, proposed_corrections(version, assessment))
        assessment = await assess(job, version, counted, first_evidence)
    if isinstance(assessment, BuildFailure):
        message = f"{assessment.compiler} does not compile {version.source.path.name}"
        return LabFailure(
            "not_built", message, own_build_hint(version, assessment.diagnostics) or "fix the errors above", assessment.diagnostics
        )
    return Evaluation(version, counted, assessment)


async def _blamed(job: Job, version: SourceVersion, failure: LabFailure) -> LabFailure:
    """What only the emulator's own compiler refuses is beyond the emulator, and no mistake in the source."""
    if is_incomplete(failure.diagnostics) or failure.kind != "not_built":
        return failure
    compilers: list[str] = []
    units = (file.source.path for file in version.others if file.source.path.suffix == _CUDA_UNIT)
    for about in (version, *map(version.about_file, units)):
        build = await job.lab.build(about.program, job.target.architecture)
        if not isinstance(build, Build):
            return replace(
                failure,
                remedy=failure.remedy
                or own_build_hint(version, build.diagnostics if isinstance(build, BuildFailure) else failure.diagnostics),
            )
        compilers.append(build.compiler)
    message = f"the emulator cannot build what {compilers[0]} compiles"
    return replace(failure, kind="unsupported", message=message, remedy="compare on a GPU, or in a source without what is named above")


async def evaluate_failed(job: Job, version: SourceVersion, first_evidence: int = 1) -> Evaluation | LabFailure:
    """A program that did not end with status 0, counted and assessed all the same: its kernels may show what is wrong."""
    counted = await run_program(job, version)
    if isinstance(counted, LabFailure):
        return counted
    assessment = await assess(job, version, counted, first_evidence)
    if isinstance(assessment, BuildFailure) or not assessment.kernels:
        return LabFailure("not_built", "nothing to look at", "")
    return Evaluation(version, counted, assessment)


async def evaluate_checked_failure(job: Job, version: SourceVersion) -> Evaluation | LabFailure:
    """``evaluate_failed`` with corrections and with races looked for, where a second run is quick."""
    evaluation = await evaluate_failed(job, version)
    if isinstance(evaluation, LabFailure) or not is_moderate(evaluation.counted):
        return evaluation
    corrections = proposed_corrections(version, evaluation.assessment)
    second = await run_program(job, version, "grade", corrections)
    if isinstance(second, LabFailure):
        return evaluation
    counted = with_second_run(evaluation.counted, second, corrections)
    assessment = await assess(job, version, counted, 1)
    return evaluation if isinstance(assessment, BuildFailure) else Evaluation(version, counted, assessment)


async def _count_again(job: Job, version: SourceVersion, counted: CountedRun, corrections: tuple[Correction, ...]) -> CountedRun:
    """With the machine code's corrections and with races looked for; as it was where the second run fails."""
    second = await count(job, version, "grade", corrections)
    return counted if isinstance(second, LabFailure) else with_second_run(counted, second, corrections)


async def repeat_run(job: Job, version: SourceVersion, counted: CountedRun) -> CountedRun | None:
    """The original's program once more, with every check on and its threads in another order; counted again where checking takes too long.

    So what depends on the order of threads differs from the first run for certain, not by luck. None for declared workloads and where the
    second run fails, and where the first did not have the time to run whole.
    """
    if counted.run is None or counted.is_partial:
        return None
    for mode in ("check", "count"):
        again = await count(job, version, mode, order_seed=OTHER_ORDER)
        if not isinstance(again, LabFailure):
            return again
    return None


async def repeat_limited(job: Job, version: SourceVersion, counted: CountedRun) -> CountedRun | LabFailure | None:
    """``repeat_run`` under the limits of candidates, so that what limits alone change is masked and not held against them.

    A failure where the program, which has run, does not run limited: no candidate could be judged by it. None for declared workloads and
    for what was run in part.
    """
    again = await repeat_run(job, as_candidate(version), counted)
    if again is not None or counted.run is None or counted.is_partial:
        return again
    limited = await count(job, as_candidate(version))
    if not isinstance(limited, LabFailure):
        return limited
    return LabFailure(
        "cannot_judge",
        f"the program runs, but not as candidates must (no sockets, files written only in a private copy of its folder): {limited.message}",
        f"let it write only below its working folder, or declare a workload: kernelopt init {version.source.path}",
    )


def own_build_hint(version: SourceVersion, diagnostics: Iterable[Diagnostic]) -> str:
    """How the user's own build would tell what includes do not, as flags and macros; empty where it was asked, there is none, or none
    of the errors is of something that is missing.
    """
    if not any(_MISSING.search(diagnostic.message) for diagnostic in diagnostics if diagnostic.severity is DiagnosticSeverity.ERROR):
        return ""
    if version.found is None or version.found.origin is not ProgramOrigin.INCLUDES or version.program.is_candidate:
        return ""
    path = version.source.path
    hint = build_hint(find_project(path), path)
    return f"the program was found by its includes, which do not show what your build defines; {hint}" if hint else ""


def without_workload(version: SourceVersion) -> LabFailure:
    path = version.source.path
    found = version.found
    if found is not None and found.origin is ProgramOrigin.EXTENSION:
        message = f"{path.name} is part of the PyTorch extension {found.extension}, and nothing starts it"
        remedy = f"declare launches of its kernels: kernelopt init {path}"
        return LabFailure("no_workload", message, f"{found.unclear}; or {remedy}" if found.unclear else remedy)
    init = f"kernelopt init {path} writes a workload block to start from; kernelopt program {path} shows why no program was found"
    message = f"{path.name} has no main() and declares no workload, so there is nothing to run"
    holder = holder_of(path)
    if holder is not None:
        in_terminal = f"; in a terminal: kernelopt init {path}" if text_in_python(path) is not None else ""
        return LabFailure("no_workload", message, f"the editor's action 'declare a workload' writes one into the text{in_terminal}")
    hint = build_hint(find_project(path), path)
    return LabFailure("no_workload", message, "; ".join(filter(None, (init, hint))))
