"""Problems that runs exposed, counted and put in words: one count for a kernel's headline, for the end of the job and for what is listed.

Example::

    listed(kernel.problems)                   # each cause once
    problems_in_words(listed(kernel.problems))     # '4 problems, 1 of them a warning'
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.model.profile import Problem
from assistant.profile.quantity import counted_noun

__all__ = ["IN_STEP", "causes", "defect_in_words", "errors_among", "listed", "problem_in_words", "problems_in_words"]

IN_STEP = frozenset({"missing_syncwarp", "lock_step"})
"""Kinds that have one cause in a kernel, whatever lines it shows on: that lanes of a warp are taken to go in step."""

_IN_VARIABLE = re.compile(r" \(in (\w+)\)$")
_UNORDERED = re.compile(r"\b(?P<none>(?:no barrier|no __syncwarp|nothing) orders )it(?P<other> with thread \d+(?P<in_grid> of block \d)?)")
_ERRORS = frozenset(
    {
        "shared_race", "global_race", "missing_syncwarp", "out_of_bounds", "use_after_free", "uninitialised_read",
        "barrier_divergence", "bad_launch", "bad_warp_mask", "wild_pointer", "assertion", "timeout", "misaligned",
        "stack_overflow", "division_by_zero", "trap", "differs_from_reference", "missing_fence", "plain_poll", "async_copy_not_awaited",
        "async_source_overwritten", "stale_read", "inactive_lane_value", "false_assumption",
    }
)  # fmt: skip
"""Problem kinds for which ``check`` answers no; a host pointer in a kernel is a warning, some systems allow it."""
_RACES = frozenset({"shared_race", "global_race"})
_EXPLAINED = frozenset({"missing_syncwarp", "possible_shared_race", "possible_global_race"})


def errors_among(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Those for which ``check`` answers no."""
    return tuple(problem for problem in problems if problem.kind in _ERRORS)


def causes(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Those of one kernel without what a race of the same two lines explains: what orders its threads orders these, too."""
    raced = {_places(problem) for problem in problems if problem.kind in _RACES and problem.other_line is not None}
    return tuple(problem for problem in problems if problem.kind not in _EXPLAINED or _places(problem) not in raced)


def listed(*of_kernels: Sequence[Problem]) -> tuple[Problem, ...]:
    """Those of one or more kernels as people are told of them: the ``causes``, lanes in step once for each kernel, the same words at one
    place once."""
    first: dict[tuple[object, ...], Problem] = {}
    for number, problems in enumerate(of_kernels):
        for problem in causes(problems):
            place = (problem.kind, problem.file, problem.line, problem.message)
            first.setdefault((number, problem.kind) if problem.kind in IN_STEP else place, problem)
    return tuple(first.values())


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


def problem_in_words(problem: Problem) -> str:
    """Its message, of a race with both threads; a shared variable is called that, as one may be named ``block``."""
    message = _UNORDERED.sub(lambda found: f"{found['none']}{_own_thread(problem, found['in_grid'])}{found['other']}", problem.message)
    if "shared" not in problem.kind and "shared memory" not in message and "warp" not in message:
        return message
    return _IN_VARIABLE.sub(r" (in the variable \1)", message)


def _own_thread(problem: Problem, in_grid: str | None) -> str:
    """``thread 32``, ``thread 32 of block 1`` where the other one's block is named; ``it`` where it is not known."""
    if problem.thread is None:
        return "it"
    block = f" of block {_place(problem.block)}" if in_grid and problem.block is not None else ""
    return f"thread {_place(problem.thread)}{block}"


def _place(index: tuple[int, int, int]) -> str:
    """``31`` where that is its linear index, too."""
    return str(index[0]) if index[1:] == (0, 0) else str(index)


def defect_in_words(problem: Problem) -> str:
    """``out of bounds, block (3, 0, 0), thread (232, 0, 0)``: what kind it is, and of which thread as far as that is known."""
    block = () if problem.block is None else (f"block {problem.block}",)
    thread = () if problem.thread is None else (f"thread {problem.thread}",)
    return ", ".join((problem.kind.replace("_", " "), *block, *thread))


def _places(problem: Problem) -> frozenset[tuple[str | None, int | None]]:
    """Both accesses of a race."""
    return frozenset({(problem.file, problem.line), (problem.other_file, problem.other_line)})
