"""Arrays that a kernel stores elements of, all of them written as ``table[index]``.

Example::

    filled_tables(context, function)      # ('score',) of `score[i * w + j] = best;`
"""

from __future__ import annotations

import re

from assistant.cuda.accesses import PointerUse, Use, array_accesses, uses_of
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.pointer_roots import global_pointers
from assistant.plan.expert.analysis.stored_pointers import may_store
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["filled_tables"]

_ANY_ORDER = re.compile(r"atomic(?:Add|Sub|Min|Max|And|Or|Xor)")
"""Atomics whose updates may come in any order."""


def filled_tables(context: TransformationContext, function: Function) -> tuple[str, ...] | Obstacle | None:
    """Parameters in the order of the list, or why one of them could not be moved; None where the kernel loads nothing that it stores."""
    tree, found = context.tree, list[str]()
    for name in sorted(global_pointers(tree, function, function.body)):
        uses = uses_of(tree, function.body, name)
        if not any(may_store(tree, function, name, use) for use in uses) or _only_collects(tree, uses):
            continue
        parameter = function.parameter(name)
        written = [a for a in array_accesses(tree, function.body) if a.base == name and len(a.indices) == 1]
        is_whole = len(written) == len(mentions(tree, function.body, name)) and name not in hidden_names(tree, function.body)
        is_whole = is_whole and not any(_is_part(access.node) for access in written)
        is_plain = parameter is not None and parameter.indirection == 1 and not parameter.is_volatile
        if not is_whole or not is_plain or any(use.kind in (Use.ATOMIC, Use.ESCAPE) for use in uses):
            words = f"elements of `{name}` would have to be written as `{name}[…]` everywhere in {context.kernel.name}, and not passed on"
            return Obstacle(DeclineReason.POINTER_UNCLEAR, words)
        found.append(name)
    order = [parameter.name for parameter in function.parameters]
    kinds = {(a.base, a.kind) for a in array_accesses(tree, function.body)}
    return tuple(sorted(found, key=order.index)) if any((name, Use.READ) in kinds for name in found) else None


def _is_part(element: Node) -> bool:
    """A member of the element is used, or its address."""
    parent = element.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    return parent is not None and parent.type in ("field_expression", "pointer_expression")


def _only_collects(tree: SyntaxTree, uses: tuple[PointerUse, ...]) -> bool:
    """All that is done with the pointer are atomics in any order, whose results are dropped."""
    return all(_is_collected(tree, use) for use in uses)


def _is_collected(tree: SyntaxTree, use: PointerUse) -> bool:
    """``atomicMax(best, h);`` or ``atomicMax(&best[k], h);``."""
    node, parent = use.node, use.node.parent
    if parent is not None and parent.type == "pointer_expression":
        node, parent = parent, parent.parent
    arguments = parent
    call = None if arguments is None or arguments.type != "argument_list" else arguments.parent
    name = None if call is None else call.child_by_field_name("function")
    if call is None or name is None or arguments is None or arguments.named_children[0] != node:
        return False
    is_dropped = call.parent is not None and call.parent.type == "expression_statement"
    return is_dropped and _ANY_ORDER.fullmatch(tree.text(name)) is not None
