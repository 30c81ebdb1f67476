"""Whether a local holds the thread's index in a flat grid, ``blockIdx.x * blockDim.x + threadIdx.x`` in whatever spelling.

Example::

    is_index_in_grid(context, variable)    # True for `long i = threadIdx.x + (long)blockIdx.x * blockDim.x;`
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.variables import Variable
from assistant.plan.expert.analysis.kernel_launches import known_blocks
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["is_index_for_every_block", "is_index_in_grid", "is_place_in_grid", "is_value_in_grid"]

_TRIAL_PLACES = ((0, 0), (0, 1), (1, 0), (3, 2), (100, 31))
_TRIAL_BLOCKS = ((0, 0, 64), (0, 5, 64), (3, 0, 64), (7, 63, 64), (2, 9, 256))
"""Blocks, threads and block sizes for which an index is computed."""


def is_index_for_every_block(context: TransformationContext, value: Node) -> bool:
    """Whether an expression is the index whatever the block's size is, at places tried with numbers."""
    scope = scope_of(context.tree, context.kernel)
    return all(
        evaluate(value, scope, {"blockIdx.x": block, "threadIdx.x": thread, "blockDim.x": size}) == block * size + thread
        for block, thread, size in _TRIAL_BLOCKS
    )


def is_index_in_grid(context: TransformationContext, variable: Variable) -> bool:
    """True for a local that nothing changes, whose own text says ``threadIdx``, and that ``is_place_in_grid``."""
    return variable.value is not None and "threadIdx" in node_text(variable.value) and is_place_in_grid(context, variable)


def is_place_in_grid(context: TransformationContext, variable: Variable) -> bool:
    """True for a local that nothing changes and that has the index at places tried with numbers, for each block of the kernel."""
    if variable.value is None or variable.is_pointer or variable.name in changed_names(context.tree, context.body):
        return False
    return is_value_in_grid(context, variable.value)


def is_value_in_grid(context: TransformationContext, value: Node) -> bool:
    """Whether an expression has the index at places tried with numbers, for each block of the kernel."""
    scope = scope_of(context.tree, context.kernel)
    for block in known_blocks(context):
        sizes = {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1} | unknown_sizes(context)
        places = ({**sizes, "blockIdx.x": b, "threadIdx.x": t} for b, t in _TRIAL_PLACES)
        values = [evaluate(value, scope, place) for place in places]
        if values != [b * block.x + t for b, t in _TRIAL_PLACES]:
            return False
    return bool(known_blocks(context))
