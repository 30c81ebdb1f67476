"""What a kernel makes of sums: whether everything computed from them is a sum of parts again, so that blocks can add their own shares.

A value is linear in some locals where it is made of them by additions, by shuffles, and by factors that do not depend on them; what decides
which statements run must not depend on them either. Then the result for all elements is the sum of the results for any parts of them.

Example::

    cache[threadIdx.x] = sum; … *mean = cache[0] / n;     # linear in `sum`: blocks may add `cache[0] / n` of their own
    *norm = sqrtf(cache[0]);                              # not linear: the root of a sum is not the sum of roots
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from assistant.cuda.accesses import is_declaration
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function
from assistant.cuda.literals import is_literal_of
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.obstacle import Obstacle

__all__ = ["FLOATING", "made_of_sums"]

FLOATING = ("float", "double")
_SHUFFLE = re.compile(r"__shfl_(?:down_|up_|xor_)?sync")
_VALUE_PLACE = 1
"""Argument of a shuffle that the lanes exchange."""
_CONDITIONAL = ("if_statement", "for_statement", "while_statement", "do_statement", "switch_statement")


class _Degree(Enum):
    """How a value depends on the sums."""

    ZERO = "the number 0"
    CONSTANT = "not at all"
    LINEAR = "as a sum of parts"


def made_of_sums(tree: SyntaxTree, function: Function, loop: Node, sums: frozenset[str]) -> frozenset[str] | Obstacle:
    """Variables that ``function`` makes of ``sums`` outside ``loop``, which adds them up; why not where one is no sum of parts.

    Arrays count as variables, those in global memory included, so that what is stored has to be linear, too.
    """
    changes = [c for c in assignments(tree, function.body) if not _is_inside(c.node, loop)]
    linear = _depending(tree, function, loop, changes, sums)
    variables = locals_of(tree, function.body)
    is_floating = {plain_type(tree, found[0].type) in FLOATING for name in linear if (found := variables.get(name))}
    if len(is_floating) > 1:
        return Obstacle(
            DeclineReason.RESULT_WOULD_CHANGE, "sums go from variables of fractions to those of integers, or back, and are rounded"
        )
    degrees = _Degrees(tree, linear, is_floating == {True})
    found = [degrees.wrong_start(variable) for variable in _declared(tree, function, loop)]
    found += [degrees.wrong_change(change) for change in changes]
    found += [degrees.wrong_branch(each) for each in tree.find(*_CONDITIONAL, inside=function.body) if not _is_inside(each, loop)]
    found += [degrees.wrong_call(each) for each in tree.find("call_expression", inside=function.body) if not _is_inside(each, loop)]
    return next((each for each in found if each is not None), linear)


def _is_inside(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte < outer.end_byte


def _declared(tree: SyntaxTree, function: Function, loop: Node) -> Iterator[Variable]:
    for variables in locals_of(tree, function.body).values():
        yield from (variable for variable in variables if not _is_inside(variable.node, loop))


def _depending(tree: SyntaxTree, function: Function, loop: Node, changes: list[Assignment], sums: frozenset[str]) -> frozenset[str]:
    """Variables with a value that is made of the sums, arrays included."""
    made_of = [
        (variable.name, names_in(tree, variable.value)) for variable in _declared(tree, function, loop) if variable.value is not None
    ]
    made_of += [(_owner(tree, change.target), names_in(tree, change.value)) for change in changes if change.value is not None]
    found = sums
    while more := {name for name, names in made_of if name and names & found} - found:
        found |= more
    return found


def _owner(tree: SyntaxTree, target: Node) -> str:
    """The variable or array that an assignment changes; empty where it is something else."""
    target = unparenthesized(target)
    while target.type in ("subscript_expression", "pointer_expression"):
        inner = target.child_by_field_name("argument")
        if inner is None:
            return ""
        target = unparenthesized(inner)
    return tree.text(target) if target.type == "identifier" else ""


class _Degrees:
    """Asks expressions how they depend on linear variables; no degree means that it is in no such way."""

    def __init__(self, tree: SyntaxTree, linear: frozenset[str], is_floating: bool) -> None:
        self._tree = tree
        self._linear = linear
        self._is_floating = is_floating

    def wrong_start(self, variable: Variable) -> Obstacle | None:
        """A linear variable starts with something that every block would add."""
        value = variable.value
        if value is None or (variable.name not in self._linear and not names_in(self._tree, value) & self._linear):
            return None
        if self._of(value) is _Degree.CONSTANT:
            what = f"`{variable.name}` starts with `{self._tree.text(value)}` at line {self._tree.line(variable.node)}"
            return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, f"{what}, which every block would add")
        return (
            None if self._of(value) in (_Degree.ZERO, _Degree.LINEAR) else self._obstacle(variable.node, self._first(value, variable.name))
        )

    def wrong_change(self, change: Assignment) -> Obstacle | None:
        name = _owner(self._tree, change.target)
        mentioned = names_in(self._tree, change.node) & self._linear
        if not mentioned:
            return None
        value = None if change.value is None else self._of(change.value)
        is_scaling = change.operator == "*=" or (change.operator == "/=" and self._is_floating)
        wanted = (_Degree.CONSTANT,) if is_scaling else (_Degree.ZERO, _Degree.LINEAR)
        is_kept = name in self._linear and value in wanted and (is_scaling or change.operator in ("=", "+=", "-="))
        return (
            None if is_kept and self._is_placed(change.target) else self._obstacle(change.node, self._first(change.value, min(mentioned)))
        )

    def wrong_branch(self, statement: Node) -> Obstacle | None:
        """A sum decides which statements run."""
        condition = condition_of(statement) or statement.child_by_field_name("condition")
        mentioned = frozenset[str]() if condition is None else names_in(self._tree, condition) & self._linear
        return self._obstacle(statement, min(mentioned)) if mentioned else None

    def wrong_call(self, call: Node) -> Obstacle | None:
        """Something else than a shuffle takes a sum."""
        mentioned = {name for given in given_arguments(call) for name in names_in(self._tree, given) & self._linear}
        is_shuffle = _SHUFFLE.fullmatch(callee_name(self._tree, call)) is not None
        return None if is_shuffle or not mentioned else self._obstacle(call, min(mentioned))

    def _first(self, value: Node | None, otherwise: str) -> str:
        """The sum that a value is made of."""
        return min(frozenset[str]() if value is None else names_in(self._tree, value) & self._linear, default=otherwise)

    def _obstacle(self, node: Node, name: str) -> Obstacle:
        line = self._tree.line(node)
        return Obstacle(
            DeclineReason.RESULT_WOULD_CHANGE,
            f"what line {line} makes of `{name}` for all elements is not the sum of what it makes of parts",
        )

    def _is_placed(self, target: Node) -> bool:
        """The place that changes does not depend on a sum."""
        indices = target.child_by_field_name("indices")
        return indices is None or not names_in(self._tree, indices) & self._linear

    def _of(self, node: Node) -> _Degree | None:
        node = unparenthesized(node)
        if is_literal_of(self._tree.text(node), 0):
            return _Degree.ZERO
        if not names_in(self._tree, node) & self._linear:
            return _Degree.CONSTANT
        match node.type:
            case "identifier":
                return _Degree.LINEAR if not is_declaration(node) else None
            case "subscript_expression":
                return _Degree.LINEAR if self._is_placed(node) and _owner(self._tree, node) in self._linear else None
            case "unary_expression":
                return self._of(node.named_children[-1]) if self._tree.text(node).startswith("-") else None
            case "cast_expression":
                return self._of_cast(node)
            case "binary_expression":
                return self._of_binary(node)
            case "conditional_expression":
                return self._of_choice(node)
            case "call_expression":
                return self._of_call(node)
            case _:
                return None

    def _of_cast(self, node: Node) -> _Degree | None:
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        is_kept = kind is not None and self._is_floating and plain_type(self._tree, self._tree.text(kind)) in FLOATING
        return self._of(value) if is_kept and value is not None else None

    def _of_binary(self, node: Node) -> _Degree | None:
        parts = binary_parts(node)
        if parts is None:
            return None
        operator, left, right = parts[0], self._of(parts[1]), self._of(parts[2])
        degrees = {left, right}
        if operator in ("+", "-"):
            return _Degree.LINEAR if degrees <= {_Degree.LINEAR, _Degree.ZERO} else None
        is_factor = operator == "*" and degrees == {_Degree.LINEAR, _Degree.CONSTANT}
        is_divided = operator == "/" and self._is_floating and (left, right) == (_Degree.LINEAR, _Degree.CONSTANT)
        return _Degree.LINEAR if is_factor or is_divided else None

    def _of_choice(self, node: Node) -> _Degree | None:
        condition, first, second = (node.child_by_field_name(field) for field in ("condition", "consequence", "alternative"))
        if condition is None or first is None or second is None or names_in(self._tree, condition) & self._linear:
            return None
        return _Degree.LINEAR if {self._of(first), self._of(second)} <= {_Degree.LINEAR, _Degree.ZERO} else None

    def _of_call(self, node: Node) -> _Degree | None:
        given = given_arguments(node)
        if _SHUFFLE.fullmatch(callee_name(self._tree, node)) is None or len(given) <= _VALUE_PLACE:
            return None
        others = (argument for place, argument in enumerate(given) if place != _VALUE_PLACE)
        return self._of(given[_VALUE_PLACE]) if not any(names_in(self._tree, other) & self._linear for other in others) else None
