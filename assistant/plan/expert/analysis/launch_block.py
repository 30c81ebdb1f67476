"""The one block that all launches of a kernel have, and the reasons why its threads must keep what they do.

Example::

    fixed_block(context)   # Dim3(16, 16, 1), or why the threads may not change places or the block is not known
    flat_block(context)    # Dim3(256, 1, 1): whole warps in one dimension
"""

from __future__ import annotations

from assistant.cuda.launch_shape import block_dims
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import known_blocks, launches_of
from assistant.plan.expert.analysis.other_programs import other_block
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import declared_blocks, guessed_launch
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["SeenBlock", "fixed_block", "flat_block", "launched_block", "launched_shape", "seen_block", "seen_shape"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""


def fixed_block(context: TransformationContext) -> Dim3 | Obstacle:
    """The block of all launches, of a kernel whose threads may change what they do."""
    return warp_dependence(context) or hidden_builtin(context) or _block(context)


def _block(context: TransformationContext) -> Dim3 | Obstacle:
    obstacle = unseen_launch(context) or guessed_launch(context)
    if obstacle is not None:
        return obstacle
    launches = launches_of(context)
    blocks = {block_dims(launch) for launch in launches} if launches else {*(known_blocks(context) or declared_blocks(context))}
    block = blocks.pop() if len(blocks) == 1 else None
    if block is None:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "the block's size is not one constant for all launches, and the edit has to fit it")
    return other_block(context, block) or block


class SeenBlock(Record):
    """A flat block of whole warps, and what has to hold where only recorded launches show it."""

    block: Dim3
    assumptions: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[Label, ...]:
        return (Label.ASSUMPTION,) if self.assumptions else ()


def seen_block(context: TransformationContext) -> SeenBlock | Obstacle:
    """As ``flat_block``, for edits that leave the launch as it is: what every launch had that was seen, where the text does not show it."""
    return _whole_warps(context, fixed_block(context))


def launched_block(context: TransformationContext) -> SeenBlock | Obstacle:
    """The same of a kernel whose threads stay as they are, so that helpers may know their places."""
    return _whole_warps(context, _block(context))


def launched_shape(context: TransformationContext) -> SeenBlock | Obstacle:
    """The same for a block of any shape."""
    return _as_seen(context, _block(context))


def seen_shape(context: TransformationContext) -> SeenBlock | Obstacle:
    """As ``seen_block``, for a block of any shape."""
    return _as_seen(context, fixed_block(context))


def _as_seen(context: TransformationContext, block: Dim3 | Obstacle) -> SeenBlock | Obstacle:
    if isinstance(block, Dim3):
        return SeenBlock(block)
    seen = {launch.block for launch in context.launches}
    only = seen.pop() if len(seen) == 1 else None
    if only is not None and (obstacle := other_block(context, only)) is not None:
        return obstacle
    if only is None or block.code not in (DeclineReason.LAUNCH_UNKNOWN, DeclineReason.SIZE_UNKNOWN):
        return block
    shape = " x ".join(str(edge) for edge in (only.x, only.y, only.z)[: 3 if only.z > 1 else 2 if only.y > 1 else 1])
    words = (
        f"{context.kernel.name} is launched with blocks of {shape} threads, as in all launches that ran; "
        "the text does not show it, as a launch with this block or a cell's %%kernelopt line would"
    )
    return SeenBlock(only, (words,))


def flat_block(context: TransformationContext) -> Dim3 | Obstacle:
    """The same, of whole warps in one dimension."""
    block = fixed_block(context)
    return (_shape_obstacle(block) if isinstance(block, Dim3) else None) or block


def _whole_warps(context: TransformationContext, block: Dim3 | Obstacle) -> SeenBlock | Obstacle:
    seen = _as_seen(context, block)
    obstacle = _shape_obstacle(seen.block) if isinstance(seen, SeenBlock) else None
    return seen if obstacle is None else block if isinstance(block, Obstacle) else obstacle


def _shape_obstacle(block: Dim3) -> Obstacle | None:
    if block.y * block.z == 1 and block.x % _LANES == 0:
        return None
    return Obstacle(DeclineReason.BLOCK_SHAPE, f"the block is {block.x} x {block.y} x {block.z}, not whole warps in one dimension")
