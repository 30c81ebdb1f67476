"""A choice between what a kernel stores at the edges of its data and what it stores everywhere else.

Example::

    # if (i == 0 || i == n - 1) out[k] = 0.0f; else out[k] = in[k - w] + in[k + w];
    branches = edge_branches(tree, statement)
    tree.text(branches.usual)              # "out[k] = in[k - w] + in[k + w]"
    branches.asked, branches.holds         # `i == 0` and `i == n - 1`, False: none of them holds there
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.syntax import Node, SyntaxTree, joined, without_comments
from assistant.record import Record

__all__ = ["EdgeBranches", "edge_branches"]


class EdgeBranches(Record):
    """The parts of such a statement."""

    statement: Node
    usual: Node
    """The assignment that reads most."""
    asked: tuple[Node, ...]
    """All of them hold where the usual assignment is made, or none."""
    holds: bool


def edge_branches(tree: SyntaxTree, statement: Node) -> EdgeBranches | None:
    """None where the statement is no ``if`` with an ``else``, or a branch is more than one assignment to an element."""
    conditions, stores = list[Node](), list[Node]()
    for condition, store in _branches(statement):
        if store is None:
            return None
        conditions += () if condition is None else (condition,)
        stores.append(store)
    if len(stores) != len(conditions) + 1 or len(stores) < 2:
        return None
    reads = [len(list(tree.find("subscript_expression", inside=store))) for store in stores]
    if reads[-1] == max(reads):
        return EdgeBranches(statement, stores[-1], tuple(each for node in conditions for each in joined(node, "||")), holds=False)
    return EdgeBranches(statement, stores[0], joined(conditions[0], "&&"), holds=True) if len(stores) == 2 else None


def _branches(statement: Node) -> Iterator[tuple[Node | None, Node | None]]:
    """Each branch's condition, none of the last ``else``, and its assignment."""
    current: Node | None = statement
    while current is not None and current.type == "if_statement":
        taken, other = (current.child_by_field_name(field) for field in ("consequence", "alternative"))
        asked = condition_of(current)
        yield asked, None if taken is None or asked is None else _assignment(taken)
        if other is None:
            return
        inner = without_comments(other) if other.type == "else_clause" else (other,)
        current = inner[0] if len(inner) == 1 else None
    yield None, None if current is None else _assignment(current)


def _assignment(branch: Node) -> Node | None:
    only = lone_statement(branch)
    inner = only.named_children[0] if only is not None and only.type == "expression_statement" and only.named_children else None
    if inner is None or inner.type != "assignment_expression":
        return None
    target = inner.child_by_field_name("left")
    return inner if target is not None and target.type == "subscript_expression" else None
