"""Names what makes an original unfit to judge: a race, a read of what nothing has written, an access out of bounds, by kernel and line.

Example::

    await unless_original_is_faulty(job, baseline, verdict)
    # CannotJudge(ORIGINAL_FAILS, "the original's own results are arbitrary: shared race in sums on line 13 of main.cu", …)
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assistant.cuda.embedded.names import is_in_notebook
from assistant.cuda.same_names import without_file
from assistant.engine.evaluate import run_program
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline
from assistant.engine.source_version import SourceVersion
from assistant.model.profile import Problem
from assistant.model.verification import CannotJudge, Outcome, Unjudgeable, Verification, VerificationResult
from assistant.ports.lab import LabFailure

__all__ = ["unless_original_is_faulty"]

_ARBITRARY_RESULTS = frozenset(
    {
        "shared_race", "global_race", "missing_syncwarp", "uninitialised_read", "barrier_divergence", "missing_fence", "plain_poll",
        "async_copy_not_awaited", "async_source_overwritten", "stale_read", "inactive_lane_value", "out_of_bounds", "use_after_free",
        "wild_pointer",
    }
)  # fmt: skip
"""Problem kinds that leave an original without a result that others could be held against."""
_INVALID_ACCESSES = frozenset({"out_of_bounds", "use_after_free", "wild_pointer"})
"""Kinds after which results rest on memory that happens to lie there, though they may be the same for B."""
_UNWRITTEN = "uninitialised_read"
_COMPARED_VALUES = frozenset({"wrong_value", "wrong_output", "not_written", "wrote_outside_outputs", "untyped_value", "unread_value"})
"""Finding codes that rest on the original's own values."""
_BY_VALUES = frozenset({Unjudgeable.ORIGINAL_INEXACT, Unjudgeable.WEAK_WORKLOAD})
"""What results that are arbitrary look like to a judge who has run the original without checks."""


async def unless_original_is_faulty(
    job: Job, baseline: Baseline, verdict: VerificationResult, candidate: SourceVersion | None = None, *, is_whole: bool = False
) -> VerificationResult:
    """An original that races, reads uninitialised memory or writes beyond a buffer is the reason where its results were of no use.

    Where its cases were run without checks, its program is run with them once, for all candidates that are held against it.
    ``candidate``: is run with them, too, where a person asks whether it is right: it may be the fix of the original. ``is_whole``: nothing
    but what reaches the host was compared, so that what any kernel reads out of bounds is part of what B was held against.
    """
    invalid = [] if baseline.counted.run is None else [p for p in baseline.counted.problems if _is_invalid_access(baseline, p, is_whole)]
    is_right = isinstance(verdict, Verification) and verdict.outcome is not Outcome.FAIL
    if isinstance(verdict, Verification) and not _fails_by_values_alone(verdict) and not (is_right and invalid):
        return verdict
    usual = (case for case in baseline.cases if not case.case.new.origin.is_derived)  # what it does at other sizes is no fault
    runs = [run for case in usual for run in case.original]
    fault = _first((*invalid, *(problem for run in runs for problem in run.problems)))
    if fault is None and isinstance(verdict, CannotJudge) and verdict.code in _BY_VALUES:
        fault = _first(await _of_program(job, baseline))
    path = baseline.version.source.path
    remedy = "fix the original first" if is_in_notebook(path) else f"fix the original first: kernelopt check {path}"
    if fault is not None:
        remedy = remedy if candidate is None else await _with_candidate(job, path, candidate, remedy)
        reason = f"the original's own results are arbitrary: {_in_words(fault, path.name)}"
    elif isinstance(verdict, Verification) and not all(run.guards_intact for run in runs):
        reason = "the original writes beyond the end of a buffer, so that its results do not say what is right"
    else:
        return verdict
    return CannotJudge(Unjudgeable.ORIGINAL_FAILS, reason, remedy)


async def _with_candidate(job: Job, path: Path, candidate: SourceVersion, remedy: str) -> str:
    """What a run of B's program with every check on shows, behind the remedy for A, at ``path``; of a cell A is an earlier text."""
    seen = await run_program(job, candidate, "check")
    if isinstance(seen, LabFailure):
        return remedy
    fault, is_of_cell = _first(seen.problems), is_in_notebook(path)
    if fault is not None:
        name = "the cell as it is now" if is_of_cell else "B"
        return f"{remedy}; {name} is not clean either: {_in_words(fault, candidate.source.path.name)}"
    if is_of_cell:
        return "the same checks find nothing in a run of the cell as it is now: if that is the fix, nothing is left to do"
    return f"{remedy}; the same checks find nothing in a run of B: if it is the fix, go on from B"


async def _of_program(job: Job, baseline: Baseline) -> tuple[Problem, ...]:
    """What a run of the original's program with every check on shows; nothing where it has no program, or cannot be run so."""
    if baseline.counted.run is None or baseline.counted.is_partial:
        return ()
    if baseline.shown.problems is None:
        seen = await run_program(job, baseline.version, "check")
        baseline.shown.problems = () if isinstance(seen, LabFailure) else seen.problems
    return baseline.shown.problems


def _is_invalid_access(baseline: Baseline, problem: Problem, is_whole: bool) -> bool:
    """A kernel that is judged, or any where only the whole is, works with what happens to lie there in the program's own run."""
    if problem.kind not in _INVALID_ACCESSES:
        return False
    kernel = None if problem.kernel is None else baseline.version.kernel_of(problem.kernel)
    return is_whole or (kernel is not None and kernel.key in baseline.kernels)


def _first(problems: Iterable[Problem]) -> Problem | None:
    """A race leaves others reading what is not written yet: it comes first."""
    found = [problem for problem in problems if problem.kind in _ARBITRARY_RESULTS]
    return min(found, key=lambda problem: problem.kind == _UNWRITTEN, default=None)


def _in_words(fault: Problem, name: str) -> str:
    """``shared race in sums on line 13 of main.cu``."""
    kernel = without_file(fault.kernel or "").removeprefix("void ").partition("(")[0].partition("<")[0]
    place = f" in {kernel}" if kernel else ""
    return f"{fault.kind.replace('_', ' ')}{place} on line {fault.line} of {Path(fault.file).name or name}"


def _fails_by_values_alone(verdict: Verification) -> bool:
    failed = {finding.code for finding in verdict.findings if finding.outcome is Outcome.FAIL}
    return verdict.outcome is Outcome.FAIL and not failed - _COMPARED_VALUES
