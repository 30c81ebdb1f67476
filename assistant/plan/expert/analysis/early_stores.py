"""Elements that a thread stores before its loop, where they may as well be stored after it: those on a diagonal, say.

Example::

    if (i >= n) return;
    if (j == 0) out[i * n + i] = 1;          // an early store
    if (j > i && j < n) { for (…) …; out[i * n + j] = sum; }
"""

from __future__ import annotations

from assistant.cuda.branches import condition_of
from assistant.cuda.functions import Function
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.analysis.whole_block_guard import Guard
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["early_stores_obstacle"]


def early_stores_obstacle(context: TransformationContext, function: Function, guard: Guard, later: tuple[Node, ...]) -> Obstacle | None:
    """Why the guard's early stores have to come before ``later``: the loop, and what locals before it are declared with."""
    tree = context.tree
    read = frozenset[str]().union(*(global_pointers(tree, function, node) for node in later))
    for statement in guard.stores:
        line = tree.line(statement)
        for base in sorted(global_pointers(tree, function, statement)):
            if base in read or any(may_overlap(tree, function, base, other) is not None for other in sorted(read)):
                why = f"the loop may read what line {line} stores before it"
                return Obstacle(DeclineReason.ORDER_MATTERS, why)
        axes = _axes(tree, function, statement)
        if axes is None:
            what = f"what line {line} stores before the loop would have to follow from the row and the column"
            return Obstacle(DeclineReason.STORE_FORM, what)
        open_axes = () if guard.early is None else sorted(axes - _bounded(tree, function, guard.early) - _chosen(tree, function, statement))
        if open_axes:
            word = {"x": "column", "y": "row"}.get(open_axes[0], "index")
            return Obstacle(DeclineReason.NO_BOUNDS_CHECK, f"no bounds check comes before line {line}, which stores for each {word}")
    return None


def _axes(tree: SyntaxTree, function: Function, statement: Node) -> frozenset[str] | None:
    """Thread axes that its names depend on; None where a name holds more than an index."""
    pointers = global_pointers(tree, function, statement)
    found: frozenset[str] = frozenset()
    for node in tree.find("identifier", inside=statement):
        axes = frozenset[str]() if tree.text(node) in pointers else thread_axes(tree, function, node)
        if axes is None:
            return None
        found |= axes
    return None if any(tree.find("field_expression", inside=statement)) else found


def _bounded(tree: SyntaxTree, function: Function, guard: Guard) -> frozenset[str]:
    """Axes that a guard compares with a bound."""
    alone = (thread_axes(tree, function, node) for node, _ in guard.conditions)
    return frozenset[str]().union(*(axes for axes in alone if axes is not None and len(axes) == 1))


def _chosen(tree: SyntaxTree, function: Function, statement: Node) -> frozenset[str]:
    """The axis of which one index stores: ``y`` of ``if (j == 0) …`` where `j` is the row."""
    condition = condition_of(statement) if statement.type == "if_statement" else None
    parts = None if condition is None else binary_parts(unparenthesized(condition))
    if parts is None or parts[0] != "==":
        return frozenset()
    sides = [thread_axes(tree, function, side) for side in parts[1:]]
    alone = [axes for axes in sides if axes]
    return alone[0] if len(alone) == 1 and None not in sides and names_in(tree, parts[1]) else frozenset()
