"""Whether each thread of a block adds once to an element of its own, so that two threads of a block never meet.

Example::

    is_own_element(context, update)    # True for `atomicAdd(&sums[i], part);` with `int i = blockIdx.x * blockDim.x + threadIdx.x;`
"""

from __future__ import annotations

from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.kernel_launches import known_blocks
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.plain_updates import Update
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["is_own_element"]

_TRIAL_BLOCKS = ((0, 0), (1, 0), (3, 2))
"""``blockIdx.x`` and ``.y`` for which indices are computed."""


def is_own_element(context: TransformationContext, update: Update) -> bool:
    """By the indices of all threads of flat blocks, computed with numbers; False where one of them cannot be."""
    if update.index is None or any(ancestor.type in LOOPS for ancestor in context.tree.ancestors(update.statement)):
        return False
    blocks = known_blocks(context)
    return bool(blocks) and all(_is_own(context, update, block) for block in blocks)


def _is_own(context: TransformationContext, update: Update, block: Dim3) -> bool:
    if update.index is None or block.count != block.x:
        return False
    scope = scope_of(context.tree, context.kernel)
    sizes = {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1} | unknown_sizes(context)
    for x, y in _TRIAL_BLOCKS:
        place = {**sizes, "blockIdx.x": x, "blockIdx.y": y, "blockIdx.z": 0, "threadIdx.y": 0, "threadIdx.z": 0}
        indices = [evaluate(update.index, scope, {**place, "threadIdx.x": thread}) for thread in range(block.x)]
        if None in indices or len(set(indices)) < len(indices):
            return False
    return True
