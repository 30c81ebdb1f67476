"""Tables in shared memory that a loop only counts in, by atomics whose results are not read: which thread has an element does not matter.

Where the grid shares the elements, another block's table may get one: then all tables have to be put together in the end.

Example::

    for (long i = …; i < n; i += stride) atomicAdd(&table[data[i]], 1);
    counted_tables(context, loop, is_grid=True)     # {'table': 'atomicAdd'}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.branches import condition_of
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, binary_parts, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.followed_values import shared_names
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["counted_tables"]

_COMMUTING = ("atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor")
_PUT_TOGETHER = {"atomicSub": "atomicAdd"}
"""By what tables are put together; the others by what counts in them."""


def counted_tables(context: TransformationContext, loop: Node, *, is_grid: bool) -> Mapping[str, str] | Obstacle:
    """The atomic that counts in each table; why another one has to stay with its thread."""
    tree, shared, found = context.tree, shared_names(context.tree, context.body), dict[str, str]()
    accesses = array_accesses(tree, context.body)
    for call in _atomics(context, loop):
        table = next((a for a in accesses if a.kind is Use.ATOMIC and _is_in(a.node, call) and a.base in shared), None)
        name = callee_name(tree, call)
        is_alone = call.parent is not None and call.parent.type == "expression_statement"
        if table is None or name not in _COMMUTING or not is_alone or found.setdefault(table.base, name) != name:
            return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, "the loop updates memory that other threads update")
    for base, name in found.items():
        inside = [a for a in accesses if a.base == base and _is_in(a.node, loop)]
        if any(a.kind is not Use.ATOMIC for a in inside) or len(inside) < len(mentions(tree, loop, base)):
            return Obstacle(DeclineReason.ORDER_MATTERS, f"the loop reads `{base}`, which other threads update")
        outside = [a for a in accesses if a.base == base and a not in inside]
        if is_grid and not _are_put_together(context, base, outside, _PUT_TOGETHER.get(name, name)):
            words = f"the blocks' `{base}` would have to be put together by {_PUT_TOGETHER.get(name, name)}, as other elements come to each"
            return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    return found


def _atomics(context: TransformationContext, loop: Node) -> Iterator[Node]:
    return (n for n in context.tree.find("call_expression", inside=loop) if callee_name(context.tree, n).startswith("atomic"))


def _are_put_together(context: TransformationContext, base: str, outside: list[ArrayAccess], name: str) -> bool:
    """Each table begins with what it is set to, and goes as a whole to where all are put together."""
    tree = context.tree
    known = {a.node.id for a in outside if a.kind is Use.WRITE}
    for read in (a for a in outside if a.kind is Use.READ):
        call = next((n for n in tree.ancestors(read.node) if n.type == "call_expression"), None)
        given = [] if call is None or callee_name(tree, call) != name else list(given_arguments(call))
        if (len(given) > 1 and unparenthesized(given[-1]) == read.node) or _asks_whether_empty(context, read.node):
            known.add(read.node.id)
    everything = [n for n in mentions(tree, context.body, base) if any(_is_in(n, a.node) for a in outside)]
    return bool(outside) and all(a.node.id in known for a in outside) and len(everything) == len(outside)


def _asks_whether_empty(context: TransformationContext, node: Node) -> bool:
    """``if (table[bin])``, ``if (table[bin] > 0)``: what is left out there adds nothing."""
    branch = next((n for n in context.tree.ancestors(node) if n.type == "if_statement"), None)
    condition = None if branch is None else condition_of(branch)
    parts = None if condition is None else binary_parts(condition)
    if parts is None:
        return condition == node
    return parts[0] in (">", "!=") and parts[1] == node and context.tree.text(parts[2]) in ("0", "0u", "0U")


def _is_in(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte
