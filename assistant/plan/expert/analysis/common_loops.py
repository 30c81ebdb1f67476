"""Loops that all threads of a block go through together, so that a barrier may stand in them: over channels, over planes.

Example::

    for (int c = 0; c < channels; c++)          # around the window's loops; `channels` is the same in every thread
        for (int dy = -R; dy <= R; dy++) …

    apart_in(context, names, around, inner)     # None, or what would have to hold
"""

from __future__ import annotations

from assistant.cuda.counted_loops import counted_header
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node, parsed_expression
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.window_coordinates import WindowNames
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["apart_in"]


def apart_in(context: TransformationContext, names: WindowNames, around: tuple[Node, ...], inner: Node) -> Obstacle | None:
    """Why some threads of a block may not come to ``inner`` in an iteration of the loops around it, innermost first."""
    for loop in around:
        obstacle = _counts_otherwise(context, names, loop) or _left_early(context, loop, around) or _asked_for(context, loop, inner)
        if obstacle is not None:
            return obstacle
    return None


def _counts_otherwise(context: TransformationContext, names: WindowNames, loop: Node) -> Obstacle | None:
    header, line = counted_header(context.tree, loop), context.tree.line(loop)
    if header is None:
        words = f"the loop at line {line} around the window would have to count, as in `for (int c = 0; c < n; c++)`"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    parts = (header.bound_node, parsed_expression(header.first), parsed_expression(header.step))
    if any(part is None or names.roots(part) for part in parts):
        words = f"the loop over `{header.variable}` around the window would have to go equally far in every thread of a block"
        return Obstacle(DeclineReason.BOUND_UNKNOWN, words)
    return None


def _left_early(context: TransformationContext, loop: Node, around: tuple[Node, ...]) -> Obstacle | None:
    tree = context.tree
    for jump in tree.find("break_statement", "continue_statement", inside=loop):
        target = next((a for a in tree.ancestors(jump) if a.type in LOOPS or a.type == "switch_statement"), None)
        if target in around:
            words = f"every thread of the block would have to go through the whole loop around the window: line {tree.line(jump)} leaves it"
            return Obstacle(DeclineReason.CONDITIONAL, words)
    return None


def _asked_for(context: TransformationContext, loop: Node, inner: Node) -> Obstacle | None:
    """A branch between the loop and what it holds."""
    for ancestor in context.tree.ancestors(inner):
        if ancestor == loop:
            return None
        if ancestor.type != "compound_statement" and ancestor.type not in LOOPS:
            words = f"the window's loops stand under a condition at line {context.tree.line(ancestor)}, where not every thread may come by"
            return Obstacle(DeclineReason.CONDITIONAL, words)
    return None
