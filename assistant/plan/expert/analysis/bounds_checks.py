"""The bounds checks of a loop that a whole block has to run: early returns before it, and an ``if`` around it.

Example::

    bounds_checks(context, loop)     # (the node of `if (i >= n) return;`,)
"""

from __future__ import annotations

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.syntax import Node
from assistant.model.plan import DeclineReason
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["bounds_checks"]


def bounds_checks(context: TransformationContext, loop: Node) -> tuple[Node, ...] | Obstacle:
    """Early returns before the loop, and an ``if`` around it."""
    tree, top = context.tree, loop
    around = [n for n in tree.ancestors(loop) if context.body.start_byte < n.start_byte and n.type != "compound_statement"]
    if around:
        top = around[-1]
    if len(around) > 1 or (around and (around[0].type != "if_statement" or around[0].child_by_field_name("alternative") is not None)):
        words = f"the loop would have to stand in one bounds check at most, and not in the statement of line {tree.line(around[0])}"
        return Obstacle(DeclineReason.GUARD_FORM, words)
    leaving = [n for n in context.body.named_children if n.end_byte <= top.start_byte and _leaves(context, n)]
    if not all(_only_leaves(n) for n in leaving):
        words = "some threads would have to leave before the loop by nothing but `if (i >= n) return;`"
        return Obstacle(DeclineReason.GUARD_FORM, words)
    return (*leaving, *around)


def _leaves(context: TransformationContext, statement: Node) -> bool:
    return next(context.tree.find("return_statement", inside=statement), None) is not None


def _only_leaves(statement: Node) -> bool:
    branch = statement.child_by_field_name("consequence")
    only = None if branch is None else lone_statement(branch)
    is_plain = statement.type == "if_statement" and statement.child_by_field_name("alternative") is None
    return is_plain and condition_of(statement) is not None and only is not None and only.type == "return_statement"
