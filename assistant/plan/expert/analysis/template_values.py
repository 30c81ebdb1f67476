"""Values that a kernel's template parameters stand for: constants to the compiler, though the text does not give them.

Example::

    template_values(tree, function)     # frozenset({'TILE'}) of `template <typename T, int TILE>`
"""

from __future__ import annotations

from assistant.cuda.functions import Function
from assistant.cuda.syntax import SyntaxTree

__all__ = ["template_values"]


def template_values(tree: SyntaxTree, function: Function) -> frozenset[str]:
    """Names of the template's value parameters (``int TILE``)."""
    parent = function.node.parent
    parameters = None if parent is None else parent.child_by_field_name("parameters")
    if parameters is None or parent is None or parent.type != "template_declaration":
        return frozenset()
    kinds = ("parameter_declaration", "optional_parameter_declaration")
    values = (n.child_by_field_name("declarator") for n in parameters.named_children if n.type in kinds)
    return frozenset(tree.text(v) for v in values if v is not None)
