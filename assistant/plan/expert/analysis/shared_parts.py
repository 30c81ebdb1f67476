"""Pointers into a block's dynamic shared memory, each with a part of its own: `float *squares = buffer + blockDim.x;`.

Example::

    parts = shared_parts(context, block)
    [array.name for array in parts.arrays]     # ['sums', 'squares'], as arrays of which nothing says the size
"""

from __future__ import annotations

from itertools import pairwise

from assistant.cuda.assignments import changed_names
from assistant.cuda.integers import evaluate
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import SharedArray, shared_arrays
from assistant.cuda.syntax import Node, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import Variable, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_steps import flat_sizes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["SharedParts", "shared_parts"]


class SharedParts(Record):
    """Such pointers, each as an array of its own."""

    arrays: tuple[SharedArray, ...]
    declarations: tuple[Node, ...]
    """Where the pointers are made from the array, or from each other."""
    obstacle: Obstacle | None = None
    """Why they cannot be taken for arrays: a part has no room for an element of every thread before the next one begins."""


def shared_parts(context: TransformationContext, block: Dim3) -> SharedParts:
    """The parts of the kernel's one dynamic array."""
    dynamic = [array for array in shared_arrays(context.tree, context.body) if array.is_dynamic and len(array.sizes) == 1]
    if len(dynamic) != 1:
        return SharedParts((), ())
    base = dynamic[0]
    starts = {base.name: 0}
    found: list[Variable] = []
    for name, variables in locals_of(context.tree, context.body).items():
        start = _start(context, variables[0], starts, block) if len(variables) == 1 else None
        if start is None or variables[0].type != base.element_type or name in changed_names(context.tree, context.body):
            continue
        starts[name] = start
        found.append(variables[0])
    line = context.tree.line
    arrays = (SharedArray(v.name, v.type, (None,), v.declarator, line(v.declarator), is_dynamic=True) for v in found)
    return SharedParts(tuple(arrays), tuple(v.node for v in found), _obstacle(context, base, found, starts, block))


def _obstacle(
    context: TransformationContext, base: SharedArray, found: list[Variable], starts: dict[str, int], block: Dim3
) -> Obstacle | None:
    """Why a pointer does not have its elements for itself."""
    for first, second in pairwise(sorted(found, key=lambda variable: starts[variable.name])):
        if starts[second.name] - starts[first.name] < block.x:
            words = f"`{first.name}` and `{second.name}` do not both have an element for each of {block.x} threads before the other begins"
            return Obstacle(DeclineReason.MAY_OVERLAP, words)
    known = [base.declarator, *(variable.node for variable in found)]
    for mention in mentions(context.tree, context.body, base.name) if found else ():
        if not any(node.start_byte <= mention.start_byte < node.end_byte for node in known):
            words = f"line {context.tree.line(mention)} uses `{base.name}` itself, of which `{found[0].name}` is a part"
            return Obstacle(DeclineReason.MAY_OVERLAP, words)
    return None


def _start(context: TransformationContext, variable: Variable, starts: dict[str, int], block: Dim3) -> int | None:
    """Elements from the array's beginning to where the pointer points; None for a pointer to something else."""
    if variable.indirection != 1 or variable.is_array or variable.value is None:
        return None
    value = unparenthesized(variable.value)
    parts = binary_parts(value)
    if value.type == "identifier":
        return starts.get(context.tree.text(value))
    if parts is not None and parts[0] == "+":
        return _sum(context, starts.get(context.tree.text(parts[1])), parts[2], block)
    element = value.child_by_field_name("argument") if context.tree.text(value).startswith("&") else None
    base, indices = (None, None) if element is None else (element.child_by_field_name(f) for f in ("argument", "indices"))
    index = None if indices is None else next(iter(without_comments(indices)), None)
    return None if base is None or index is None else _sum(context, starts.get(context.tree.text(base)), index, block)


def _sum(context: TransformationContext, start: int | None, offset: Node, block: Dim3) -> int | None:
    value = evaluate(offset, scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block))
    return None if start is None or value is None or value < 0 else start + value
