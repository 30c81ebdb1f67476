"""What each thread of a block stores in its own element of a shared array, and which conditions let the block's first thread alone pass.

Example::

    stores_before(context, loop, ["buf"], None, block, is_apart=False)      # `buf[threadIdx.x] = i < n ? x[i] : 0;` and a barrier
    is_for_first_thread(context, condition, block)                          # True for `t == 0 && i < n`
"""

from __future__ import annotations

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.integers import evaluate
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, joined, unparenthesized, without_comments
from assistant.cuda.variables import Variable
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.block_steps import flat_sizes
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Choice", "ThreadStore", "choice_of", "is_first_thread", "is_for_first_thread", "is_thread", "stores_before"]


class Choice(Record):
    """``condition ? then : otherwise``."""

    condition: Node
    then: Node
    otherwise: Node


class ThreadStore(Record):
    """``array[threadIdx.x] = value;``, or an ``if`` that stores one value or the other."""

    node: Node
    thread: str
    """The thread's index in its block, as the author writes it."""
    value: Node | None
    """None where an ``if`` stores."""
    choice: Choice | None
    """What such an ``if``, or ``a ? b : c``, chooses by, and what from; None where there is no choice."""
    before: Node | None = None
    """``array[threadIdx.x] = 0;`` right before, where the store is an ``if`` without an ``else``: the choice's ``otherwise``."""


def is_first_thread(context: TransformationContext, condition: Node | None, block: Dim3) -> bool:
    """The condition holds for the block's first thread and no other."""
    if condition is None:
        return False
    scope, sizes = scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block)
    return all(evaluate(condition, scope, {**sizes, "threadIdx.x": t}) == (1 if t == 0 else 0) for t in range(block.x))


def is_for_first_thread(context: TransformationContext, condition: Node | None, block: Dim3) -> bool:
    """No other thread of the block gets past the condition: ``t == 0``, ``t == 0 && i < n``."""
    if condition is None or any(context.tree.find("assignment_expression", "update_expression", "call_expression", inside=condition)):
        return False
    return any(is_first_thread(context, each, block) for each in joined(condition, "&&"))


def is_thread(context: TransformationContext, node: Node, block: Dim3) -> bool:
    """The expression is the thread's index in its flat block."""
    scope, sizes = scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block)
    return all(evaluate(node, scope, {**sizes, "threadIdx.x": t}) == t for t in range(block.x))


def stores_before(
    context: TransformationContext, place: Node, names: list[str], counter: Variable | None, block: Dim3, *, is_apart: bool
) -> dict[str, ThreadStore]:
    """``array[thread] = value;`` for each array, with a barrier between them and ``place``, and nothing else; empty otherwise.

    ``is_apart``: ``place`` begins with a barrier itself.
    """
    tree = context.tree
    ignored = None if counter is None else counter.node
    siblings = context.body.named_children if place.parent is None else place.parent.named_children
    before = [n for n in siblings if n.end_byte <= place.start_byte and n.type != "comment" and n != ignored]
    if before and canonical(tree, before[-1]) == "__syncthreads ( ) ;":
        before.pop()
    elif not is_apart:
        return {}
    found: dict[str, ThreadStore] = {}
    while before and len(found) < len(names):
        statement = before.pop()
        stored = _stores(context, statement, block) or _stored_over(context, before[-1:], statement, block)
        if not stored or stored.keys() & found.keys():
            return {}
        found |= stored
        before = before[:-1] if any(each.before is not None for each in stored.values()) else before
    return found if found.keys() == {*names} else {}


def _stored_over(context: TransformationContext, before: list[Node], statement: Node, block: Dim3) -> dict[str, ThreadStore]:
    """An ``if`` that stores a value over the one that the statement before it stored, by its array."""
    then, condition = _branch_stores(context, statement, "consequence", block), condition_of(statement)
    earlier = _stored(context, before[0], block) if before else None
    if statement.type != "if_statement" or statement.child_by_field_name("alternative") is not None or earlier is None:
        return {}
    name, thread, otherwise = earlier
    if condition is None or then.keys() != {name} or then[name][0] != thread:
        return {}
    value = then[name][1]
    if any(mentions(context.tree, node, name) for node in (condition, value, otherwise)):
        return {}
    return {name: ThreadStore(statement, thread, None, Choice(condition, value, otherwise), before[0])}


def _stores(context: TransformationContext, statement: Node, block: Dim3) -> dict[str, ThreadStore]:
    """``array[thread] = value;``, or an ``if`` of which both branches are such stores to the same arrays."""
    if statement.type != "if_statement":
        stored = _stored(context, statement, block)
        return {} if stored is None else {stored[0]: ThreadStore(statement, stored[1], stored[2], choice_of(stored[2]))}
    then, otherwise = (_branch_stores(context, statement, field, block) for field in ("consequence", "alternative"))
    condition = condition_of(statement)
    values = [value for branch in (then, otherwise) for _, value in branch.values()]
    if condition is None or not then or then.keys() != otherwise.keys():
        return {}
    if any(mentions(context.tree, node, name) for node in (condition, *values) for name in then if len(then) > 1):
        return {}
    if any(then[name][0] != otherwise[name][0] for name in then):
        return {}
    found = ((name, then[name][0], Choice(condition, then[name][1], otherwise[name][1])) for name in then)
    return {name: ThreadStore(statement, thread, None, choice) for name, thread, choice in found}


def choice_of(value: Node) -> Choice | None:
    """The parts of ``a ? b : c``."""
    value = unparenthesized(value)
    condition, then, otherwise = (value.child_by_field_name(f) for f in ("condition", "consequence", "alternative"))
    if value.type != "conditional_expression" or condition is None or then is None or otherwise is None:
        return None
    return Choice(unparenthesized(condition), then, otherwise)


def _branch_stores(context: TransformationContext, statement: Node, field: str, block: Dim3) -> dict[str, tuple[str, Node]]:
    """(the thread, the value) by array, where a branch is nothing but such stores."""
    branch = statement.child_by_field_name(field)
    if branch is not None and branch.type == "else_clause":
        branch = next(iter(without_comments(branch)), None)
    statements = () if branch is None else without_comments(branch) if branch.type == "compound_statement" else (branch,)
    stored = [_stored(context, each, block) for each in statements]
    found = {name: (thread, value) for name, thread, value in (each for each in stored if each is not None)}
    return found if len(found) == len(stored) else {}


def _stored(context: TransformationContext, statement: Node, block: Dim3) -> tuple[str, str, Node] | None:
    """(the array, the thread, the value) of ``array[thread] = value;``."""
    tree, change = context.tree, next(iter(assignments(context.tree, statement)), None)
    if statement.type != "expression_statement" or change is None or change.operator != "=" or change.value is None:
        return None
    base, indices = (change.target.child_by_field_name(f) for f in ("argument", "indices"))
    index = None if indices is None else next(iter(without_comments(indices)), None)
    if change.node.parent != statement or base is None or index is None or not is_thread(context, index, block):
        return None
    return tree.text(base), tree.text(index) if index.type == "identifier" else "threadIdx.x", change.value
