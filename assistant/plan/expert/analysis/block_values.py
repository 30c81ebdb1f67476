"""Names whose values all threads of a block have in common.

Example::

    differs_in_block(context, function, loop)     # None, or 'i' for `const int i = blockIdx.x * 256 + threadIdx.x;`
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.assignments import changed_names
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function
from assistant.cuda.loops import loops_around
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["differs_in_block", "is_alike_in_block"]

_MAX_DEPTH = 12
"""Deepest chain of definitions that is followed."""
_CHANGES = ("call_expression", "assignment_expression", "update_expression")


def differs_in_block(context: TransformationContext, function: Function, region: Node) -> str | None:
    """A name of the region that threads of a block may have different values of; what the region declares is its own affair."""
    tree = context.tree
    own = locals_of(tree, region).keys()
    hidden = sorted(hidden_names(tree, region) & {"threadIdx"})
    names = (name for node in tree.find("identifier", inside=region) if (name := tree.text(node)) not in own)
    return next((name for name in (*hidden, *names) if not _is_common(context, function, region, name, 0)), None)


def is_alike_in_block(context: TransformationContext, function: Function, value: Node) -> bool:
    """All threads of a block have the same value of the expression."""
    return _is_common_value(context, function, value, value, 0)


def _is_common(context: TransformationContext, function: Function, region: Node, name: str, depth: int) -> bool:
    """All threads that are in the region have the same value of it."""
    tree = context.tree
    declared = locals_of(tree, function.body).get(name, ())
    is_passed = not declared and not function.is_kernel and function.parameter(name) is not None
    if name == "threadIdx" or is_passed or depth > _MAX_DEPTH:  # each thread may call a helper with values of its own
        return False
    if any(variable.is_shared for variable in declared):
        return True
    if _counts_around(context, function, region, name, depth):
        return True
    if name in changed_names(tree, function.body):
        return False
    return not declared or _is_made_from_common(context, function, region, declared, depth)


def _is_made_from_common(
    context: TransformationContext, function: Function, region: Node, declared: tuple[Variable, ...], depth: int
) -> bool:
    value = declared[0].value if len(declared) == 1 else None
    return value is not None and _is_common_value(context, function, region, value, depth)


def _is_common_value(context: TransformationContext, function: Function, region: Node, value: Node, depth: int) -> bool:
    tree = context.tree
    if any(tree.find(*_CHANGES, inside=value)) or "threadIdx" in hidden_names(tree, value):
        return False
    elements = (n for n in tree.find("subscript_expression", "pointer_expression", inside=value) if not tree.text(n).startswith("&"))
    if any(not _stays(tree, function, element) for element in elements):
        return False
    return all(_is_common(context, function, region, name, depth + 1) for name in names_in(tree, value))


def _stays(tree: SyntaxTree, function: Function, element: Node) -> bool:
    """Memory that the kernel does not change."""
    bases = names_in(tree, element) & global_pointers(tree, function, element)
    pointers = global_pointers(tree, function, function.body)
    stored = {name for name in pointers if any(use.kind is not Use.READ for use in uses_of(tree, function.body, name))}
    return bool(bases) and not bases & stored and all(may_overlap(tree, function, one, base) is None for base in bases for one in stored)


def _counts_around(context: TransformationContext, function: Function, region: Node, name: str, depth: int) -> bool:
    """It counts a loop around the region that begins and ends alike for all threads."""
    tree = context.tree
    for loop in loops_around(tree, region):
        header, start = counted_header(tree, loop), loop.child_by_field_name("initializer")
        if header is None or start is None or header.variable != name or name in names_in(tree, header.bound_node):
            continue
        values = [each.child_by_field_name("value") for each in start.children_by_field_name("declarator")]
        bounds = [*values, header.bound_node]
        return bool(values) and all(b is not None and _is_common_value(context, function, loop, b, depth + 1) for b in bounds)
    return False
