"""Which pointers a kernel looks at before it uses them, so that they may be null.

Example::

    null_tested("__global__ void k(float *y, const float *bias) { if (bias) y[0] += bias[0]; }", kernel)     # {'bias'}
"""

from __future__ import annotations

from assistant.cuda.recovery import located, recover
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text
from assistant.model.source import Kernel

__all__ = ["null_tested"]

_NULLS = frozenset({"nullptr", "NULL", "0"})
_CONDITIONS = frozenset({"condition_clause", "conditional_expression", "if_statement", "while_statement", "for_statement"})


def null_tested(text: str, kernel: Kernel) -> frozenset[str]:
    """The pointers of ``kernel``, which is in ``text``, that stand for a truth value, or are compared with null, somewhere in its body."""
    pointers = {parameter.name for parameter in kernel.parameters if parameter.is_pointer}
    if kernel.macro or not pointers:
        return frozenset()
    tree, body = located(recover(text).trees, kernel.body)
    mentioned = (node for node in tree.find("identifier", inside=body) if node_text(node) in pointers)
    return frozenset(node_text(node) for node in mentioned if _is_tested(tree, node))


def _is_tested(tree: SyntaxTree, node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type == "unary_expression":
        return node_text(parent).startswith("!")
    parts = binary_parts(parent)
    if parts is not None:
        operator, left, right = parts
        other = right if left == node else left
        return operator in ("&&", "||") or (operator in ("==", "!=") and tree.text(other).strip("() ") in _NULLS)
    return parent.type in _CONDITIONS and parent.child_by_field_name("condition") in (node, None)
