"""Where a maximum or a minimum stands: `if (v > most) { most = v; at = j; }` in a loop over j.

Parts of such a loop can be put together like those of a maximum: of two equal values the one of the earlier iteration is kept, as the
loop keeps it. That takes a strict comparison, and a local that holds every bit of what it is compared with.

Example::

    chosen_places(tree, function, loop)    # (ChosenPlace(…, place='at', combination=Combination.MAXIMUM),)
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import locals_of
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.pointer_roots import element_type
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.record import Record

__all__ = ["ChosenPlace", "chosen_places"]


class ChosenPlace(Record):
    """One ``if`` that keeps a better value and the iteration that it is of."""

    condition: Node
    value: Assignment
    place: Assignment
    is_maximum: bool


def chosen_places(tree: SyntaxTree, function: Function, loop: Node) -> tuple[ChosenPlace, ...]:
    """Those of a loop that counts upwards, in source order."""
    header = counted_header(tree, loop)
    if header is None or header.comparison not in ("<", "<="):
        return ()
    return tuple(_found(tree, function, loop, header.variable))


def _found(tree: SyntaxTree, function: Function, loop: Node, counter: str) -> Iterator[ChosenPlace]:
    for branch in tree.find("if_statement", inside=loop):
        then, condition = branch.child_by_field_name("consequence"), condition_of(branch)
        if then is None or then.type != "compound_statement" or branch.child_by_field_name("alternative") is not None:
            continue
        statements, changes = without_comments(then), assignments(tree, then)
        if len(statements) != 2 or [change.node.parent for change in changes] != list(statements):
            continue
        places = [c for c in changes if c.operator == "=" and c.value is not None and tree.text(unparenthesized(c.value)) == counter]
        values = [change for change in changes if change not in places and change.operator == "="]
        if len(places) != 1 or len(values) != 1 or condition is None:
            continue
        is_maximum = _is_maximum(tree, condition, values[0])
        if is_maximum is not None and _keeps_every_bit(tree, function, values[0]):
            yield ChosenPlace(condition, values[0], places[0], is_maximum)


def _is_maximum(tree: SyntaxTree, condition: Node, change: Assignment) -> bool | None:
    """What the condition asks for; None where it is no strict comparison of the new value with the old one."""
    parts = binary_parts(unparenthesized(condition))
    if parts is None or parts[0] not in ("<", ">") or change.value is None:
        return None
    operator, left, right = parts
    sides = (canonical(tree, unparenthesized(left)), canonical(tree, unparenthesized(right)))
    value, name = canonical(tree, unparenthesized(change.value)), canonical(tree, change.target)
    if sides not in ((value, name), (name, value)) or value == name:
        return None
    return (operator == ">") == (sides == (value, name))


def _keeps_every_bit(tree: SyntaxTree, function: Function, change: Assignment) -> bool:
    """The local's type is that of the value, or a double of a float."""
    assert change.value is not None, "an assignment of a value"
    kept = _declared(tree, function, tree.text(change.target))
    kind = ValueKinds(tree, function).of(change.value)
    if kept in ("float", "double"):
        return kind is Kind.FLOAT or (kept == "double" and kind in (Kind.DOUBLE, Kind.WIDENED))
    value = unparenthesized(change.value)
    base = value.child_by_field_name("argument") if value.type == "subscript_expression" else None
    given = element_type(tree, function, tree.text(base)) if base is not None else _declared(tree, function, tree.text(value))
    return kept is not None and given is not None and plain_type(tree, given) == kept


def _declared(tree: SyntaxTree, function: Function, name: str) -> str | None:
    """The type of a local or a parameter, aliases followed."""
    found = locals_of(tree, function.body).get(name, ())
    parameter = function.parameter(name)
    kind = found[0].type if len(found) == 1 else None if found or parameter is None else parameter.type
    return None if kind is None else plain_type(tree, kind)
