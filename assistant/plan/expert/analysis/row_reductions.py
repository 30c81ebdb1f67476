"""What a loop makes of values that outlive it: sums, products, maxima and minima, which lanes can compute in parts.

Example::

    reductions_of(tree, function, loop)    # (Reduction('sum', 'float', Combination.SUM),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["Combination", "Reduction", "can_be_shuffled", "reductions_of"]

_SHUFFLED_TYPES = re.compile(r"float|double|(?:unsigned )?(?:int|long|long long)|unsigned|size_t|u?int(?:32|64)_t")
"""What ``__shfl_xor_sync`` takes without a header (CUDA C++ Programming Guide, "Warp Shuffle Functions")."""
_MAXIMA = re.compile(r"(?:std::)?(?:max|fmaxf?)")
_MINIMA = re.compile(r"(?:std::)?(?:min|fminf?)")


def can_be_shuffled(type_name: str) -> bool:
    """Whether lanes can exchange values of the type."""
    return _SHUFFLED_TYPES.fullmatch(type_name) is not None


class Combination(StrEnum):
    """How parts of a reduction become one."""

    SUM = "+"
    PRODUCT = "*"
    MAXIMUM = "max"
    MINIMUM = "min"


class Reduction(Record):
    """A local that a loop reduces to one value."""

    variable: Variable
    combination: Combination

    @property
    def is_exact(self) -> bool:
        """The order of the parts cannot change the value."""
        is_integer = can_be_shuffled(self.variable.type) and self.variable.type not in ("float", "double")
        return is_integer or self.combination in (Combination.MAXIMUM, Combination.MINIMUM)


def reductions_of(
    tree: SyntaxTree, function: Function, loop: Node, template_types: frozenset[str] = frozenset()
) -> tuple[Reduction, ...] | Obstacle:
    """The reductions of a loop, in the order of their first change; why not where another local outlives the loop.

    ``template_types``: names of template parameters that stand for types that can be shuffled.
    """
    inside, outside = locals_of(tree, loop), locals_of(tree, function.body)
    found: dict[str, Reduction] = {}
    for change in assignments(tree, loop):
        if change.target.type != "identifier":
            continue
        name = tree.text(change.target)
        if name in inside:
            continue
        variables = outside.get(name, ())
        combination = _combination(tree, change, name)
        line = tree.line(change.node)
        if len(variables) != 1 or combination is None or (name in found and found[name].combination is not combination):
            return Obstacle(
                DeclineReason.ORDER_MATTERS, f"`{name}` goes from one iteration to the next at line {line} by more than a sum or a maximum"
            )
        kind = variables[0].type
        if variables[0].is_pointer or not (can_be_shuffled(plain_type(tree, kind)) or kind in template_types):
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{name}` of type `{kind}` cannot surely be shuffled")
        found[name] = Reduction(variables[0], combination)
    for name in found:
        uses = len(mentions(tree, loop, name))
        if uses != sum(_own_mentions(tree, change, name) for change in assignments(tree, loop)):
            return Obstacle(DeclineReason.ORDER_MATTERS, f"an iteration reads `{name}` as the one before left it")
    return tuple(found.values())


def _combination(tree: SyntaxTree, change: Assignment, name: str) -> Combination | None:
    """How one assignment changes the value; None where it is no part of a reduction."""
    value = change.value
    if change.operator in ("++", "--"):
        return Combination.SUM
    if value is None:
        return None
    if change.operator in ("+=", "-="):
        return Combination.SUM if name not in names_in(tree, value) else None
    if change.operator == "*=":
        return Combination.PRODUCT if name not in names_in(tree, value) else None
    if change.operator != "=":
        return None
    value = unparenthesized(value)
    return _called(tree, value, name) or _added(tree, value, name) or _picked(tree, value, name) or _chosen(tree, change, name)


def _called(tree: SyntaxTree, value: Node, name: str) -> Combination | None:
    """``v = fmaxf(v, e)``."""
    arguments = [tree.text(a) for a in given_arguments(value)] if value.type == "call_expression" else []
    if len(arguments) != 2 or arguments.count(name) != 1 or len(mentions(tree, value, name)) != 1:
        return None
    called = callee_name(tree, value)
    return Combination.MAXIMUM if _MAXIMA.fullmatch(called) else Combination.MINIMUM if _MINIMA.fullmatch(called) else None


def _added(tree: SyntaxTree, value: Node, name: str) -> Combination | None:
    """``v = v + e``."""
    parts = binary_parts(value)
    if parts is None or len(mentions(tree, value, name)) != 1 or tree.text(parts[1]) != name:
        return None
    return {"+": Combination.SUM, "-": Combination.SUM, "*": Combination.PRODUCT}.get(parts[0])


def _picked(tree: SyntaxTree, value: Node, name: str) -> Combination | None:
    """``v = e > v ? e : v``."""
    condition, first, second = (value.child_by_field_name(f) for f in ("condition", "consequence", "alternative"))
    parts = None if value.type != "conditional_expression" or condition is None else binary_parts(unparenthesized(condition))
    if parts is None or first is None or second is None:
        return None
    picked = (canonical(tree, unparenthesized(first)), canonical(tree, unparenthesized(second)))
    sides = (canonical(tree, parts[1]), canonical(tree, parts[2]))
    if name not in picked or set(sides) != set(picked) or sides[0] == sides[1]:
        return None
    is_larger = (parts[0][0] == ">") == (sides == picked)
    return {True: Combination.MAXIMUM, False: Combination.MINIMUM}[is_larger] if parts[0][0] in "<>" else None


def _chosen(tree: SyntaxTree, change: Assignment, name: str) -> Combination | None:
    """``if (e > v) v = e``, where nothing else is chosen with it."""
    statement = change.node.parent
    branch = None if statement is None else statement.parent
    if branch is not None and branch.type == "compound_statement":
        branch = branch.parent
    then = None if branch is None or branch.type != "if_statement" else branch.child_by_field_name("consequence")
    condition = None if branch is None or then is None else condition_of(branch)
    parts = None if condition is None else binary_parts(condition)
    if branch is None or then is None or parts is None or lone_statement(then) != statement or branch.child_by_field_name("alternative"):
        return None
    operator, left, right = parts
    value = "" if change.value is None else canonical(tree, change.value)
    sides = (canonical(tree, left), canonical(tree, right))
    if sides == (value, name):
        return {">": Combination.MAXIMUM, ">=": Combination.MAXIMUM, "<": Combination.MINIMUM, "<=": Combination.MINIMUM}.get(operator)
    if sides == (name, value):
        return {"<": Combination.MAXIMUM, "<=": Combination.MAXIMUM, ">": Combination.MINIMUM, ">=": Combination.MINIMUM}.get(operator)
    return None


def _own_mentions(tree: SyntaxTree, change: Assignment, name: str) -> int:
    """Mentions of the value that the assignment itself, and the ``if`` that chooses it, make."""
    if change.target.type != "identifier" or tree.text(change.target) != name:
        return 0
    return len(mentions(tree, change.node, name)) + _condition_mentions(tree, change, name)


def _condition_mentions(tree: SyntaxTree, change: Assignment, name: str) -> int:
    if change.operator != "=" or _chosen(tree, change, name) is None:
        return 0
    return sum(1 for _ in _choosing(tree, change, name))


def _choosing(tree: SyntaxTree, change: Assignment, name: str) -> Iterator[Node]:
    branch = next((a for a in tree.ancestors(change.node) if a.type == "if_statement"), None)
    condition = None if branch is None else condition_of(branch)
    if condition is not None:
        yield from mentions(tree, condition, name)
