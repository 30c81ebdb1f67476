"""How one assignment puts a value and another one together: as a sum, a product, a maximum or a minimum.

Example::

    combination_of(tree, change)    # (Combination.MAXIMUM, the node of `a[t + s]`) for `a[t] = fmaxf(a[t], a[t + s])`
"""

from __future__ import annotations

import re

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import Assignment
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.plan.expert.analysis.row_reductions import Combination

__all__ = ["combination_of", "guarded_combination_of"]

_OPERATORS = {"+=": Combination.SUM, "*=": Combination.PRODUCT}
_SIGNS = {"+": Combination.SUM, "*": Combination.PRODUCT}
_CALLS = ((re.compile(r"(?:std::)?(?:max|fmaxf?)"), Combination.MAXIMUM), (re.compile(r"(?:std::)?(?:min|fminf?)"), Combination.MINIMUM))


def combination_of(tree: SyntaxTree, change: Assignment) -> tuple[Combination, Node] | None:
    """The combination and what the target is combined with; None where the assignment is anything else."""
    if change.value is None:
        return None
    if change.operator in _OPERATORS:
        return _OPERATORS[change.operator], unparenthesized(change.value)
    if change.operator != "=":
        return None
    value, target = unparenthesized(change.value), canonical(tree, change.target)
    parts = binary_parts(value)
    if parts is not None and parts[0] in _SIGNS:
        return _with_other(tree, _SIGNS[parts[0]], (parts[1], parts[2]), target)
    if value.type == "call_expression":
        name = callee_name(tree, value)
        found = next((combination for pattern, combination in _CALLS if pattern.fullmatch(name)), None)
        return None if found is None else _with_other(tree, found, given_arguments(value), target)
    return _picked(tree, value, target)


def guarded_combination_of(tree: SyntaxTree, change: Assignment) -> tuple[Node, Combination, Node] | None:
    """(the `if`, the combination, what the target is combined with) of ``if (v > top) top = v;``; None for anything else."""
    branch = next((n for n in tree.ancestors(change.node) if n.type == "if_statement"), None)
    then = None if branch is None else branch.child_by_field_name("consequence")
    only = None if then is None else lone_statement(then)
    condition = None if branch is None else condition_of(branch)
    parts = None if condition is None else binary_parts(unparenthesized(condition))
    if branch is None or parts is None or only is None or only != change.node.parent or change.value is None or change.operator != "=":
        return None
    left, right = (canonical(tree, side) for side in parts[1:])
    target, value = canonical(tree, change.target), canonical(tree, change.value)
    if branch.child_by_field_name("alternative") is not None or {left, right} != {target, value} or parts[0][0] not in "<>":
        return None
    is_larger = (parts[0][0] == ">") == (left == value)
    return branch, Combination.MAXIMUM if is_larger else Combination.MINIMUM, unparenthesized(change.value)


def _with_other(tree: SyntaxTree, combination: Combination, sides: tuple[Node, ...], target: str) -> tuple[Combination, Node] | None:
    others = [unparenthesized(side) for side in sides if canonical(tree, side) != target]
    return (combination, others[0]) if len(sides) == 2 and len(others) == 1 else None


def _picked(tree: SyntaxTree, value: Node, target: str) -> tuple[Combination, Node] | None:
    """``a > b ? a : b``."""
    condition, first, second = (value.child_by_field_name(f) for f in ("condition", "consequence", "alternative"))
    parts = None if condition is None else binary_parts(unparenthesized(condition))
    if parts is None or first is None or second is None or parts[0][0] not in "<>":
        return None
    left, right, then, otherwise = (canonical(tree, unparenthesized(n)) for n in (parts[1], parts[2], first, second))
    if {left, right} != {then, otherwise} or left == right:
        return None
    is_larger = (parts[0][0] == ">") == (left == then)
    return _with_other(tree, Combination.MAXIMUM if is_larger else Combination.MINIMUM, (first, second), target)
