"""Which indices of its thread and of its block an expression of a kernel depends on, locals followed.

Example::

    thread_axes(tree, function, node)    # frozenset({'y'}) for `row` with `int row = blockIdx.y * 16 + threadIdx.y;`
    block_axes(tree, function, node)     # frozenset({'y'})
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of

__all__ = ["block_axes", "thread_axes"]

_MAX_DEPTH = 12
"""Deepest chain of definitions that is followed."""
_MEMORY = ("subscript_expression", "pointer_expression", "call_expression", "assignment_expression", "update_expression")


def thread_axes(tree: SyntaxTree, function: Function, node: Node) -> frozenset[str] | None:
    """``x``, ``y``, ``z`` of ``threadIdx`` that decide the value; None where memory, calls or changed variables do too."""
    return _axes(tree, function, node, "threadIdx", 0)


def block_axes(tree: SyntaxTree, function: Function, node: Node) -> frozenset[str] | None:
    """As `thread_axes`, of ``blockIdx``."""
    return _axes(tree, function, node, "blockIdx", 0)


def _axes(tree: SyntaxTree, function: Function, node: Node, builtin: str, depth: int) -> frozenset[str] | None:
    if depth > _MAX_DEPTH or any(tree.find(*_MEMORY, inside=node)) or builtin in hidden_names(tree, node):
        return None
    axes = frozenset(_direct_axes(tree, node, builtin))
    local, changed = locals_of(tree, function.body), changed_names(tree, function.body)
    for identifier in tree.find("identifier", inside=node):
        name = tree.text(identifier)
        declared = local.get(name, ())
        if not declared and (function.parameter(name) is None or name not in changed):
            continue
        value = declared[0].value if len(declared) == 1 else None
        if value is None or name in changed:
            return None
        inner = _axes(tree, function, value, builtin, depth + 1)
        if inner is None:
            return None
        axes |= inner
    return axes


def _direct_axes(tree: SyntaxTree, node: Node, builtin: str) -> tuple[str, ...]:
    fields = tree.find("field_expression", inside=node)
    return tuple(tree.text(f).split(".")[-1].strip() for f in fields if tree.text(f).startswith(builtin))
