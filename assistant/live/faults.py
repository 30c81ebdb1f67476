"""What a checked call raises: the kernel's first defect as an exception, with its line, thread and array.

Example::

    try:
        scale(out, x, 1000, grid=4, block=256)
    except OutOfBounds as fault:
        fault.line, fault.thread, fault.array        # 5, (224, 0, 0), 'out'
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.errors import UsageError
from assistant.model.problems import RACES
from assistant.model.profile import Problem
from assistant.profile.problems import errors_among

__all__ = ["BarrierDivergence", "KernelFailed", "KernelFault", "OutOfBounds", "Race", "UninitialisedRead", "fault_of"]

_WITHIN_WARP = "missing_syncwarp"
_SHOWN = 3
"""Further defects that the message names."""


class KernelFailed(UsageError):  # noqa: N818 - a fact, named as the code reads
    """The kernel did not run to its end; the arrays are as they were."""


class KernelFault(KernelFailed):
    """A defect of the kernel that the call exposed; the arrays are as they were."""

    def __init__(self, problem: Problem, array: str | None, others: Sequence[Problem]) -> None:
        unchecked = "" if problem.kind == "bad_launch" else "; check=False runs it all the same"
        super().__init__(_in_words(problem, others), f"the arrays are as they were{unchecked}")
        self.kind = problem.kind
        """A word of `assistant.model.profile.Problem.kind`: ``out_of_bounds``."""
        self.line = problem.line
        """In the kernel's text, from 1; 0 where it is not known."""
        self.block = problem.block
        self.thread = problem.thread
        self.address = problem.address
        self.array = array
        """The parameter that points to the memory; None where none does (shared memory, an address that nothing owns)."""
        self.count = problem.count
        """How often it happened."""
        self.problem = problem
        self.others = tuple(others)
        """Further defects of the same call."""


class OutOfBounds(KernelFault):
    """An access beyond the array, or of memory that is none."""


class Race(KernelFault):
    """Two threads at one place, and nothing that orders them."""


class UninitialisedRead(KernelFault):
    """A read of what nothing has written."""


class BarrierDivergence(KernelFault):
    """A barrier that not all threads of the block, or of the warp, reach."""


_BY_KIND: dict[str, type[KernelFault]] = {
    **dict.fromkeys(RACES, Race),
    **dict.fromkeys(("out_of_bounds", "use_after_free", "wild_pointer", "misaligned"), OutOfBounds),
    "uninitialised_read": UninitialisedRead,
    **dict.fromkeys(("barrier_divergence", "bad_warp_mask"), BarrierDivergence),
}


def fault_of(problems: Sequence[Problem], parameters: Sequence[str]) -> KernelFault | None:
    """The exception for what a call exposed; None where nothing is wrong. ``parameters``: names, by the launch's arguments."""
    errors = errors_among(problems)
    if not errors:
        return None
    first = _cause(errors)
    has_name = first.argument is not None and first.argument < len(parameters)
    array = parameters[first.argument] if first.argument is not None and has_name else None
    return _BY_KIND.get(first.kind, KernelFault)(first, array, [error for error in errors if error is not first])


def _cause(errors: Sequence[Problem]) -> Problem:
    """The first defect; where the same line races, with itself or with another, the race explains a read of what nothing wrote yet, and
    one between warps explains more than one within a warp: no ``__syncwarp`` would end it. Where the same line leaves the same array,
    threads that should not be there explain its race. An access so far behind an array that it ends the run is explained by one of its line
    that is nearer and has the array."""
    first = errors[0]
    if first.kind == "out_of_bounds" and first.argument is None:
        nearer = (each for each in errors if each.kind == first.kind and each.line == first.line and each.argument is not None)
        return next(nearer, first)
    if first.kind in RACES and first.argument is not None:
        beyond = [
            error for error in errors if error.kind == "out_of_bounds" and (error.line, error.argument) == (first.line, first.argument)
        ]
        return next(iter(beyond), first)
    races = [error for error in errors if error.kind in RACES and error.file == first.file and first.line in (error.line, error.other_line)]
    wider = [race for race in races if race.kind != _WITHIN_WARP]
    return next(iter((*wider, *races)), first) if first.kind in ("uninitialised_read", _WITHIN_WARP) else first


def _in_words(problem: Problem, others: Sequence[Problem]) -> str:
    words = f"{problem.kind.replace('_', ' ')}: {problem.message}"
    if problem.line:
        words += f"; line {problem.line}"
        if problem.other_line not in (None, problem.line):
            words += f", the other access at line {problem.other_line}"
    if problem.block is not None and problem.thread is not None:
        words += f", block {problem.block}, thread {problem.thread}"
    if problem.count > 1:
        words += f"; {problem.count:,} times"
    further = list(dict.fromkeys(f"{other.kind.replace('_', ' ')} at line {other.line}" for other in others))
    more = further[:_SHOWN]
    if len(further) > _SHOWN:
        more.append(f"{len(further) - _SHOWN} more")
    return f"{words}; further: {', '.join(more)}" if more else words
