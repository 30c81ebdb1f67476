"""Pointers through which a piece of a kernel may store: by an assignment, by an atomic, or by handing a pointer on to what may.

Example::

    stored_pointers(tree, function, loop)     # frozenset({'hist'}) of a loop with `atomicAdd(&hist[b], 1)`
"""

from __future__ import annotations

from assistant.cuda.accesses import PointerUse, Use, uses_of
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of
from assistant.plan.expert.analysis.pointer_roots import global_pointers

__all__ = ["may_store", "stored_pointers"]


def stored_pointers(tree: SyntaxTree, function: Function, region: Node, end_byte: int | None = None) -> frozenset[str]:
    """Those that name global memory. ``end_byte``: what begins behind it is left out."""
    return frozenset(
        name
        for name in global_pointers(tree, function, region)
        for use in uses_of(tree, region, name)
        if may_store(tree, function, name, use) and (end_byte is None or use.node.start_byte < end_byte)
    )


def may_store(tree: SyntaxTree, function: Function, name: str, use: PointerUse) -> bool:
    """A pointer to what is const may be handed on: what takes it only reads."""
    if use.kind is not Use.ESCAPE:
        return use.kind is not Use.READ
    variables = (function.parameter(name), *locals_of(tree, function.body).get(name, ()))
    return not all(variable.is_const for variable in variables if variable is not None)
