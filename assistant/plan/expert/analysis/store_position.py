"""Where a store stands in its kernel, and under which conditions a thread reaches it.

Example::

    position_of(context, store).returns   # the `if (x >= w) return;` that stand before it; or a sentence that says why not
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.syntax import Node, node_text, without_comments
from assistant.model.plan import DeclineReason
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Position", "position_of"]


_BREAKABLE = frozenset({"for_statement", "while_statement", "do_statement", "switch_statement"})


class Position(Record):
    """A store that is the last thing a thread does."""

    statements: tuple[Node, ...]
    """Statements of the kernel's body after the early returns, up to the one that holds the store."""
    returns: tuple[Node, ...]
    """``if (…) return;`` in one run right before ``statements``."""
    conditions: tuple[tuple[Node, bool], ...]
    """What must hold for the store to happen; True where it is the condition of an early return, and must not hold."""
    loop: Node | None
    """The ``for`` around the store; None when each thread stores once."""


def position_of(context: TransformationContext, store: Node) -> Position | Obstacle:
    """The store's position; a sentence where it is not last, or where its conditions cannot be listed."""
    statement = _statement(store)
    if statement is None or not _is_whole_statement(statement, store):
        return Obstacle(DeclineReason.STORE_FORM, "the store is part of a larger expression")
    around = _conditions_around(context, statement)
    if isinstance(around, Obstacle):
        return around
    top, conditions, loop = around
    body = without_comments(context.body)
    index = body.index(top)
    if index != len(body) - 1:
        return Obstacle(DeclineReason.STORE_NOT_LAST, "the kernel goes on after this store, so its threads cannot trade places")
    returns = [n for n in body[:index] if _early_return(n) is not None]
    allowed = {n.start_byte for r in returns for n in context.tree.find("return_statement", inside=r)}
    stray = next((n for n in context.tree.find("return_statement", inside=context.body) if n.start_byte not in allowed), None)
    if stray is not None:
        return Obstacle(
            DeclineReason.LEAVES_EARLY, f"a thread may leave on line {context.tree.line(stray)}, and then never reaches the barrier"
        )
    first = body.index(returns[0]) if returns else index
    if returns and body[first : first + len(returns)] != tuple(returns):
        return Obstacle(DeclineReason.LEAVES_EARLY, "the kernel returns early in several places")
    statements = tuple(body[first + len(returns) : index + 1]) if returns else (top,)
    jump = next((n for n in _jumps(context, loop)), None)
    if jump is not None:
        return Obstacle(DeclineReason.LEAVES_EARLY, f"{node_text(jump).split(';')[0]} on line {context.tree.line(jump)} may skip the store")
    barrier = next((n for s in statements for n in context.tree.find("identifier", inside=s) if node_text(n).startswith("__sync")), None)
    if returns and barrier is not None:
        return Obstacle(
            DeclineReason.LEAVES_EARLY, f"some threads have left the kernel before its barrier on line {context.tree.line(barrier)}"
        )
    early = [(c, True) for c in (_early_return(r) for r in returns) if c is not None]
    return Position(statements, tuple(returns), (*early, *((c, False) for c in conditions)), loop)


def _jumps(context: TransformationContext, loop: Node | None) -> Iterator[Node]:
    """Statements that lead past the store other than by ``if`` and ``return``."""
    yield from context.tree.find("goto_statement", inside=context.body)
    if loop is not None:
        for node in context.tree.find("continue_statement", "break_statement", inside=loop):
            if next(a for a in context.tree.ancestors(node) if a.type in _BREAKABLE) == loop:
                yield node


def _statement(node: Node) -> Node | None:
    found: Node | None = node
    while found is not None and found.type != "expression_statement":
        found = found.parent
    return found


def _is_whole_statement(statement: Node, store: Node) -> bool:
    """``store = value;`` and nothing else."""
    assignment = statement.named_children[0] if statement.named_child_count == 1 else None
    if assignment is None or assignment.type != "assignment_expression":
        return False
    left, operator = assignment.child_by_field_name("left"), assignment.child_by_field_name("operator")
    return left == store and operator is not None and node_text(operator) == "="


def _conditions_around(context: TransformationContext, statement: Node) -> tuple[Node, list[Node], Node | None] | Obstacle:
    """(statement of the kernel's body that holds the store, conditions from the outermost in, loop around the store)."""
    node, conditions, loop = statement, list[Node](), None
    while node.parent is not None and node.parent != context.body:
        parent = node.parent
        if parent.type == "compound_statement":
            if without_comments(parent)[-1] != node:
                return Obstacle(DeclineReason.STORE_NOT_LAST, "other statements follow this store, so its threads cannot trade places")
        elif parent.type == "if_statement":
            condition = condition_of(parent)
            if condition is None or parent.child_by_field_name("alternative") is not None:
                return Obstacle(DeclineReason.STORE_FORM, "the store is in one branch of an if with an else")
            conditions.insert(0, condition)
        elif parent.type == "for_statement" and loop is None:
            loop = parent
        elif parent.type in {"for_statement", "while_statement", "do_statement"}:
            return Obstacle(
                DeclineReason.LOOP_FORM, "each thread stores several times, in a loop that is not a plain walk over the rows of a tile"
            )
        else:
            return Obstacle(DeclineReason.STORE_FORM, "the store is in a place that cannot be followed")
        node = parent
    return node, conditions, loop


def _early_return(statement: Node) -> Node | None:
    """The condition of ``if (…) return;``; None for any other statement."""
    if statement.type != "if_statement" or statement.child_by_field_name("alternative") is not None:
        return None
    then = statement.child_by_field_name("consequence")
    only = None if then is None else lone_statement(then)
    return condition_of(statement) if only is not None and only.type == "return_statement" else None
