"""What a piece of code changes: assignments, and every variable that may have another value afterwards.

Example::

    [(tree.text(a.target), a.operator) for a in assignments(tree, loop)]   # [('sum', '+='), ('i', '++')]
    modified_names(tree, loop)                                            # frozenset({'sum', 'i'})
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.calls import changeable_arguments
from assistant.cuda.syntax import Node, SyntaxTree, kept
from assistant.cuda.variables import locals_of
from assistant.record import Record

__all__ = ["Assignment", "assignments", "changed_names", "modified_names"]


class Assignment(Record):
    """One change of an lvalue."""

    target: Node
    operator: str
    """``=``, ``+=``, …, ``++`` or ``--``."""
    value: Node | None
    """None for ``++`` and ``--``."""
    node: Node


def assignments(tree: SyntaxTree, inside: Node) -> tuple[Assignment, ...]:
    """Every assignment, compound assignment, increment and decrement, in source order."""
    found: list[Assignment] = []
    for node in tree.find("assignment_expression", "update_expression", inside=inside):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        if target is not None and operator is not None:
            found.append(Assignment(target, tree.text(operator), node.child_by_field_name("right"), node))
    return tuple(found)


def modified_names(tree: SyntaxTree, region: Node) -> frozenset[str]:
    """Variables that ``region`` changes or declares."""
    return changed_names(tree, region) | locals_of(tree, region).keys()


@kept
def changed_names(tree: SyntaxTree, region: Node) -> frozenset[str]:
    """Variables that ``region`` assigns, steps, or takes the address or a reference of."""
    return frozenset(_changed(tree, region))


def _changed(tree: SyntaxTree, region: Node) -> Iterator[str]:
    for node in tree.find("assignment_expression", "update_expression", "pointer_expression", inside=region):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if node.type == "pointer_expression" and not tree.text(node).startswith("&"):
            continue
        while target is not None and target.type in ("field_expression", "parenthesized_expression"):
            target = target.child_by_field_name("argument") or next(iter(target.named_children), None)
        if target is not None and target.type == "identifier":
            yield tree.text(target)
    for call in tree.find("call_expression", inside=region):
        yield from (tree.text(argument) for argument in changeable_arguments(tree, call) if argument.type == "identifier")
