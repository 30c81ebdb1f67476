"""Static rule against branches that nobody ran: what only B does from some size on, where no case has that size.

Example::

    tried = TriedLaunch({"n": 5003}, Dim3(20), Dim3(256))
    find_untried((tree_a, kernel_a), (tree_b, kernel_b), [tried])
    # (VerificationFinding("assumption", NEEDS_DECISION, "does something else where n > 300000, which no case reached", …),)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from assistant.cuda.comparisons import OPPOSITE
from assistant.cuda.constants import constants_of
from assistant.cuda.size_choices import SizeChoice, distance, size_choices
from assistant.cuda.syntax import SyntaxTree
from assistant.model.launch import Dim3
from assistant.model.source import Kernel
from assistant.model.verification import Label, Outcome, VerificationFinding
from assistant.record import Record

__all__ = ["KernelText", "TriedLaunch", "find_untried"]

_AXES = "xyz"


class TriedLaunch(Record):
    """A launch of B that was run and compared."""

    values: Mapping[str, float]
    """The numbers that it was passed, by the names of B's parameters; members of structs as ``p.n``."""
    grid: Dim3
    block: Dim3
    blocks: tuple[int, ...] = ()
    """Linear numbers of those that ran; empty: all."""


class KernelText(Record):
    """A kernel, and the tree of its text."""

    tree: SyntaxTree
    kernel: Kernel


def find_untried(before: Sequence[KernelText], after: KernelText, tried: Sequence[TriedLaunch]) -> tuple[VerificationFinding, ...]:
    """One finding per choice of B's kernel that none of ``before`` has, and that came out the same in all that was tried.

    Constants that A holds a size against, or has a name for, are known sizes. A kernel that was not run decides nothing.
    """
    if not tried:
        return ()
    old = [choice for each in before for choice in size_choices(each.tree, each.kernel)]
    known = {choice.limit for choice in old} | {float(value) for each in before for value in constants_of(each.tree).values()}
    texts = {"".join(choice.text.split()) for choice in old}
    new = (choice for choice in size_choices(after.tree, after.kernel) if "".join(choice.text.split()) not in texts)
    threads = [values for launch in {_identity(launch): launch for launch in tried}.values() for values in _threads(launch)]
    found = list[VerificationFinding]()
    for choice in (choice for choice in new if choice.limit not in known):
        outcome = _only_outcome(choice, threads)
        if outcome is not None:
            line = after.tree.source.count("\n", 0, choice.start) + 1
            message = _words(choice, outcome=outcome)
            found.append(VerificationFinding(Label.ASSUMPTION.value, Outcome.NEEDS_DECISION, message, after.kernel.qualified_name, line))
    return tuple(found)


def _only_outcome(choice: SizeChoice, threads: Sequence[Mapping[str, float]]) -> bool | None:
    """How it came out in all of them; None where that differs, or is not known of all."""
    distances = [distance(choice, values) for values in threads]
    known = [one for one in distances if one is not None]
    if len(known) < len(distances):
        return None
    outcomes = {_holds(choice.operator, one) for one in known}
    is_between = choice.is_of_index and choice.operator in ("==", "!=") and min(known) < 0 < max(known)
    has_wrapped = choice.operator in ("%", "&") and True in outcomes
    return None if is_between or has_wrapped or len(outcomes) > 1 else outcomes.pop()


def _holds(operator: str, distance: float) -> bool:
    """Of a limit or a remainder: whether it changes the value."""
    match operator:
        case "<":
            return distance < 0
        case "<=":
            return distance <= 0
        case "==":
            return distance == 0
        case "!=":
            return distance != 0
        case ">" | "min":
            return distance > 0
        case "max":
            return distance < 0
        case _:
            return distance >= 0


def _words(choice: SizeChoice, *, outcome: bool) -> str:
    if choice.operator in OPPOSITE:
        where = f"not ({choice.text})" if outcome else choice.text
        return f"does something else where {where}, which no case reached"
    changes = "is the constant" if outcome else "changes nothing"
    return f"{choice.text} {changes} in every case that was tried; no case reached sizes where it does otherwise"


def _identity(launch: TriedLaunch) -> object:
    return tuple(sorted(launch.values.items())), launch.grid, launch.block, launch.blocks


def _threads(launch: TriedLaunch) -> Iterator[dict[str, float]]:
    """What threads at the corners of the grid and of their blocks know; of a launch of some blocks, all of these."""
    sizes = {f"gridDim.{axis}": count for axis, count in zip(_AXES, launch.grid.axes, strict=True)}
    sizes |= {f"blockDim.{axis}": count for axis, count in zip(_AXES, launch.block.axes, strict=True)}
    blocks = [_place(number, launch.grid) for number in launch.blocks] or list(_corners(launch.grid))
    for block, thread in product(blocks, _corners(launch.block)):
        places = {f"blockIdx.{axis}": count for axis, count in zip(_AXES, block, strict=True)}
        places |= {f"threadIdx.{axis}": count for axis, count in zip(_AXES, thread, strict=True)}
        yield {**launch.values, **sizes, **places}


def _corners(extent: Dim3) -> Iterator[tuple[int, ...]]:
    return product(*(dict.fromkeys((0, size - 1)) for size in extent.axes))


def _place(number: int, grid: Dim3) -> tuple[int, int, int]:
    return number % grid.x, number // grid.x % grid.y, number // (grid.x * grid.y)
