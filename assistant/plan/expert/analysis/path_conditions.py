"""What must hold for a thread to come to a piece of its kernel: branches around it, early returns before it, choices that it stands in.

Example::

    for condition, holds in conditions_on_the_way(tree, access.node, body): ...     # (i > n, False) behind `if (i > n) return;`
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized

__all__ = ["conditions_on_the_way", "early_return"]


def conditions_on_the_way(tree: SyntaxTree, node: Node, body: Node) -> Iterator[tuple[Node, bool]]:
    """(condition, what it comes to) of everything that a thread decides before it comes to ``node``, up to ``body``."""
    child = node
    for parent in tree.ancestors(node):
        yield from _decided(tree, parent, child)
        if parent == body:
            return
        child = parent


def early_return(statement: Node) -> Node | None:
    """The condition of ``if (…) return;``; None of any other statement."""
    then = statement.child_by_field_name("consequence") if statement.type == "if_statement" else None
    only = None if then is None or statement.child_by_field_name("alternative") is not None else lone_statement(then)
    return condition_of(statement) if only is not None and only.type == "return_statement" else None


def _decided(tree: SyntaxTree, parent: Node, child: Node) -> Iterator[tuple[Node, bool]]:
    if parent.type == "if_statement":
        condition, then = condition_of(parent), parent.child_by_field_name("consequence")
        if condition is not None and child != parent.child_by_field_name("condition"):
            yield condition, child == then
    elif parent.type == "conditional_expression":
        asked = parent.child_by_field_name("condition")
        if asked is not None and child != asked:
            yield unparenthesized(asked), child == parent.child_by_field_name("consequence")
    elif parent.type == "binary_expression":
        parts = binary_parts(parent)
        if parts is not None and parts[0] in ("&&", "||") and child == parts[2]:
            yield unparenthesized(parts[1]), parts[0] == "&&"
    elif parent.type == "compound_statement":
        for earlier in parent.named_children:
            left = early_return(earlier) if earlier.end_byte <= child.start_byte else None
            if left is not None:
                yield left, False
