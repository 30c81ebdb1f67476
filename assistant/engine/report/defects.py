"""Problems that a run exposed, counted and put in words: one count for the headline of a kernel and for the end of the job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.cuda.match import kernel_of_instance
from assistant.engine.evaluate.assessment import CountedRun
from assistant.engine.source_version import SourceVersion
from assistant.model.problems import merge_problems
from assistant.model.profile import Problem
from assistant.profile.quantity import counted_noun

__all__ = ["errors_among", "problems_by_kernel", "problems_in_words"]

_ERRORS = frozenset(
    {
        "shared_race", "global_race", "missing_syncwarp", "out_of_bounds", "use_after_free", "uninitialised_read",
        "barrier_divergence", "bad_launch", "bad_warp_mask", "wild_pointer", "assertion", "timeout", "misaligned",
        "stack_overflow", "division_by_zero", "trap", "differs_from_reference", "missing_fence", "plain_poll", "async_copy_not_awaited",
        "async_source_overwritten", "stale_read", "inactive_lane_value",
    }
)  # fmt: skip
"""Problem kinds for which ``check`` answers no; a host pointer in a kernel is a warning, some systems allow it."""


def errors_among(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Those for which ``check`` answers no."""
    return tuple(problem for problem in problems if problem.kind in _ERRORS)


def problems_in_words(problems: Sequence[Problem]) -> str:
    """``4 problems, 1 of them a warning``; ``no problem found`` of none."""
    if not problems:
        return "no problem found"
    warning_count = len(problems) - len(errors_among(problems))
    total = counted_noun(len(problems), "problem")
    if not warning_count:
        return total
    if warning_count == len(problems):
        return f"{total}, only {'a warning' if warning_count == 1 else 'warnings'}"
    return f"{total}, {warning_count} of them {'a warning' if warning_count == 1 else 'warnings'}"


def problems_by_kernel(version: SourceVersion, seen: Sequence[CountedRun]) -> dict[str, tuple[Problem, ...]]:
    """Problems of each selected kernel's launches; those of no known kernel go to the one on whose lines they stand, else to the first."""
    found: dict[str, list[Problem]] = {kernel.key: [] for kernel in version.kernels}
    told: set[Problem] = set()
    for profile in (profile for counted in seen for profile in counted.profiles):
        kernel = kernel_of_instance(version.parsed, profile.kernel)
        if kernel is not None:
            told.update(map(_place, profile.problems))
            found.get(kernel.key, []).extend(profile.problems)
    launched = [item.kernel.key for counted in seen for item in counted.kernels] or list(found)
    for problem in (problem for counted in seen for problem in counted.problems if _place(problem) not in told):
        owner = next(
            (kernel.key for kernel in version.kernels if kernel.line <= problem.line <= version.source.line_of(kernel.span.end)),
            launched[0],
        )
        found[owner].append(problem)
    return {key: merge_problems(problems) for key, problems in found.items()}


def _place(problem: Problem) -> Problem:
    """The problem without what differs from thread to thread."""
    return replace(problem, message="", block=None, thread=None, address=None, count=0)
