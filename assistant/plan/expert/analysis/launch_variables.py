"""Host variables that hold a launch's grid or block: whether an edit of one reaches other code.

Example::

    is_only_used_here(context, launch, launch.grid)   # True for `dim3 grid(…)` that serves this kernel's launches alone
"""

from __future__ import annotations

import re

from assistant.cuda.launch_shape import Launch, Shape
from assistant.cuda.syntax import Node, node_text
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["is_count_parameter", "is_declared_here", "is_dim3_parameter", "is_only_used_here"]

_DECLARATORS = frozenset({"init_declarator", "declaration", "function_declarator"})


def is_dim3_parameter(launch: Launch, shape: Shape) -> bool:
    """True for a ``dim3`` parameter of the host function around the launch."""
    return _is_parameter(launch, shape, "dim3")


def is_count_parameter(launch: Launch, shape: Shape) -> bool:
    """True for an integer parameter of the host function around the launch."""
    return _is_parameter(launch, shape, "(?:int|unsigned|long|size_t|u?int(?:32|64)_t)")


def _is_parameter(launch: Launch, shape: Shape, kind: str) -> bool:
    function = None if launch.function is None else launch.function.parent
    declarator = None if function is None else function.child_by_field_name("declarator")
    heading = "" if declarator is None else node_text(declarator)
    return re.search(rf"\b{kind}\s*(?:const\s*)?&?\s*{re.escape(node_text(shape.expression))}\b", heading) is not None


def is_only_used_here(context: TransformationContext, launch: Launch, shape: Shape) -> bool:
    """True when the ``dim3`` is a local variable that serves launches of this kernel and nothing else."""
    if launch.function is None or not shape.components:
        return False
    sites = {s.span.start for s in context.parsed.launch_sites_of(context.kernel)}
    mentions = [n for n in context.tree.find("identifier", inside=launch.function) if node_text(n) == shape.variable]
    declared = [n for n in mentions if is_declared_here(n)]
    return bool(declared) and all(n in declared or _serves_launch(context, n, shape, sites) for n in mentions)


def is_declared_here(node: Node) -> bool:
    """True for the name that a declaration gives to a variable, not for one that it is made from."""
    parent = node.parent
    return parent is not None and parent.type in _DECLARATORS and parent.child_by_field_name("value") != node


def _serves_launch(context: TransformationContext, node: Node, shape: Shape, sites: set[int]) -> bool:
    """True for ``grid`` in ``k<<<grid, …>>>`` at one of the launch sites, and in ``grid.x = …``."""
    if any(field.parent == node.parent for field in shape.fields):
        return True
    call = next((a for a in context.tree.ancestors(node) if a.type == "call_expression"), None)
    return call is not None and context.tree.span(call).start in sites and _is_configuration(node)


def _is_configuration(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "kernel_call_syntax"
