"""One step of a reduction in shared memory, in the ways people write it.

Example::

    if (t < s) a[t] += a[t + s];
    if (t < s) a[t] = mine = mine + a[t + s];                  // the thread's local holds what its element does
    if (t < s) { mine += a[t + s]; a[t] = mine; }
    if (t < s) { if (a[t + s] > a[t]) a[t] = a[t + s]; }
    if (t < s && a[t + s] > a[t]) a[t] = a[t + s];
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import Assignment
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined, node_text, unparenthesized, without_comments
from assistant.plan.expert.analysis.combinations import combination_of
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.record import Record

__all__ = ["TotalStep", "begun_steps", "element_index", "total_steps"]


class TotalStep(Record):
    """An element and another one put together."""

    array: str
    index: Node
    """Of the element that is changed."""
    other: Node
    """Index of the element that it is put together with."""
    combination: Combination
    local: str | None
    """What the thread has its element's value in, too; None where it has it in the element alone."""
    condition: Node
    """Which threads do it."""


def total_steps(tree: SyntaxTree, branch: Node, arrays: Collection[str]) -> tuple[TotalStep, ...]:
    """What an ``if`` does, a step for each array; empty where it does anything else."""
    then, condition = branch.child_by_field_name("consequence"), condition_of(branch)
    if then is None or condition is None or branch.child_by_field_name("alternative") is not None:
        return ()
    asked = joined(condition, "&&")
    picked = _picked(tree, then, asked[1], asked[0]) if len(asked) == 2 else None
    if picked is not None:
        return (picked,) if picked.array in arrays else ()
    statements = list(without_comments(then)) if then.type == "compound_statement" else [then]
    found: list[TotalStep] = []
    while statements:
        step = next(begun_steps(tree, statements, condition), None)
        if step is None or step[0].array not in arrays or step[0].array in {each.array for each in found}:
            return ()
        found.append(step[0])
        del statements[: step[1]]
    return tuple(found)


def element_index(tree: SyntaxTree, element: Node, array: str | None = None) -> Node | None:
    """``i`` of ``array[i]``."""
    if element.type != "subscript_expression":
        return None
    base, indices = (element.child_by_field_name(field) for field in ("argument", "indices"))
    known = () if indices is None else without_comments(indices)
    is_it = base is not None and base.type == "identifier" and array in (None, tree.text(base))
    return known[0] if is_it and len(known) == 1 else None


def begun_steps(tree: SyntaxTree, statements: Sequence[Node], condition: Node) -> Iterator[tuple[TotalStep, int]]:
    """(the step that these statements begin with, of how many of them it is)."""
    first = _change(statements[0])
    if first is None:
        then, compared = statements[0].child_by_field_name("consequence"), condition_of(statements[0])
        is_plain = statements[0].type == "if_statement" and statements[0].child_by_field_name("alternative") is None
        picked = _picked(tree, then, compared, condition) if is_plain and then is not None and compared is not None else None
        if picked is not None:
            yield picked, 1
        return
    pair = combination_of(tree, first)
    if pair is not None and first.target.type == "subscript_expression":
        yield from _counted(_step(tree, first.target, pair[1], pair[0], (None, condition)), 1)
    inner = None if first.value is None else _assigned(unparenthesized(first.value))
    if inner is not None and first.operator == "=" and inner.target.type == "identifier":
        pair = combination_of(tree, inner)
        if pair is not None:
            yield from _counted(_step(tree, first.target, pair[1], pair[0], (tree.text(inner.target), condition)), 1)
    second = _change(statements[1]) if len(statements) > 1 else None
    if pair is None or second is None or second.value is None or second.operator != "=" or first.target.type != "identifier":
        return
    if canonical(tree, unparenthesized(second.value)) == tree.text(first.target):
        yield from _counted(_step(tree, second.target, pair[1], pair[0], (tree.text(first.target), condition)), 2)


def _counted(step: TotalStep | None, count: int) -> Iterator[tuple[TotalStep, int]]:
    if step is not None:
        yield step, count


def _picked(tree: SyntaxTree, then: Node, compared: Node, condition: Node) -> TotalStep | None:
    """``if (a[t + s] > a[t]) a[t] = a[t + s];``."""
    only, parts = lone_statement(then), binary_parts(compared)
    change = None if only is None else _change(only)
    if change is None or change.operator != "=" or change.value is None or parts is None or parts[0] not in ("<", ">", "<=", ">="):
        return None
    target, other = canonical(tree, change.target), canonical(tree, unparenthesized(change.value))
    sides = [canonical(tree, unparenthesized(side)) for side in parts[1:]]
    if sorted(sides) != sorted((target, other)) or target == other:
        return None
    is_larger = (parts[0][0] == ">") == (sides[0] == other)
    combination = Combination.MAXIMUM if is_larger else Combination.MINIMUM
    return _step(tree, change.target, unparenthesized(change.value), combination, (None, condition))


def _step(tree: SyntaxTree, target: Node, other: Node, combination: Combination, by: tuple[str | None, Node]) -> TotalStep | None:
    """``by``: (the local that goes along, which threads do it)."""
    base = target.child_by_field_name("argument")
    array = "" if base is None else tree.text(base)
    indices = element_index(tree, target), element_index(tree, other, array)
    if indices[0] is None or indices[1] is None:
        return None
    return TotalStep(array, indices[0], indices[1], combination, *by)


def _change(statement: Node) -> Assignment | None:
    """The assignment that the statement is."""
    only = without_comments(statement) if statement.type == "expression_statement" else ()
    return _assigned(only[0]) if len(only) == 1 else None


def _assigned(node: Node) -> Assignment | None:
    target, operator, value = (node.child_by_field_name(field) for field in ("left", "operator", "right"))
    if node.type != "assignment_expression" or target is None or operator is None or value is None:
        return None
    return Assignment(target, node_text(operator), value, node)
