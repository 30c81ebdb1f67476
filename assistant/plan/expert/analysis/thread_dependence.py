"""Which thread indices an expression of a kernel depends on, locals followed.

Example::

    thread_axes(tree, function, node)    # frozenset({'y'}) for `row` with `int row = blockIdx.y * 16 + threadIdx.y;`
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of

__all__ = ["thread_axes"]

_MAX_DEPTH = 12
"""Deepest chain of definitions that is followed."""
_MEMORY = ("subscript_expression", "pointer_expression", "call_expression", "assignment_expression", "update_expression")


def thread_axes(tree: SyntaxTree, function: Function, node: Node, depth: int = 0) -> frozenset[str] | None:
    """``x``, ``y``, ``z`` of ``threadIdx`` that decide the value; None where memory, calls or changed variables do too."""
    if depth > _MAX_DEPTH or any(tree.find(*_MEMORY, inside=node)) or "threadIdx" in hidden_names(tree, node):
        return None
    axes = frozenset(_direct_axes(tree, node))
    local, changed = locals_of(tree, function.body), changed_names(tree, function.body)
    for identifier in tree.find("identifier", inside=node):
        name = tree.text(identifier)
        declared = local.get(name, ())
        if not declared and (function.parameter(name) is None or name not in changed):
            continue
        value = declared[0].value if len(declared) == 1 else None
        if value is None or name in changed:
            return None
        inner = thread_axes(tree, function, value, depth + 1)
        if inner is None:
            return None
        axes |= inner
    return axes


def _direct_axes(tree: SyntaxTree, node: Node) -> tuple[str, ...]:
    fields = tree.find("field_expression", inside=node)
    return tuple(tree.text(f).split(".")[-1].strip() for f in fields if tree.text(f).startswith("threadIdx"))
