"""Bring the items that every thread goes through to shared memory tile by tile, once per block.

For kernels in which each thread has an item of its own and meets all others: bodies, atoms, points, colours. The order in which a thread
meets them stays as it is, so results stay bit by bit. Three or four floats of an item become one float4, which one load brings.

Example::

    for (int j = 0; j < n; j++)
        sum += m[j] / distance(x[j] - x[i], y[j] - y[i]);
    // becomes, for blocks of 128 threads
    __shared__ float4 items_tile[128];
    for (int tile = 0; tile < n; tile += 128) {
        const int item = tile + threadIdx.x;
        if (item < n) items_tile[threadIdx.x] = make_float4(m[item], x[item], y[item], 0.0f);
        __syncthreads();
        const int tile_end = min(tile + 128, n);
        if (is_inside)
            for (int j = tile; j < tile_end; j++) …     // items_tile[j - tile].x
        __syncthreads();
    }
"""

from __future__ import annotations

from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.bounds_checks import bounds_checks
from assistant.plan.expert.analysis.common_items import ItemLoop, item_loop
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.kernel_launches import extent_of
from assistant.plan.expert.analysis.launch_block import SeenBlock, launched_shape
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.workload_block import launch_elsewhere
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.item_tile_text import ItemTile, bytes_of_item, item_tile_edits, tiles_of
from assistant.plan.expert.writing.opened_bounds import OpenedBounds, opened_bounds, with_opened_bounds
from assistant.workload.recorded_words import apart_assumption

__all__ = ["TiledPairs"]

_LEAST_BLOCK = 32
"""Threads that share an item: a warp, whose threads read it together anyway. Our own limit: smaller blocks do not gain by barriers."""
_LEAST_ITEMS = 64
"""Of a loop: filling a tile and waiting for it twice takes about as long as some tens of loads that all lanes share. Our own limit."""
_WARP, _SECTOR_BYTES = 32, 32
"""Threads, and bytes of a sector (CUDA C++ Programming Guide, "Device Memory Accesses")."""


class TiledPairs:
    """Items that each thread loads by itself → tiles of items in shared memory."""

    technique = "tiled-pairs"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = item_loop(context)
        if found is None:
            return ()
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        seen = launched_shape(context)
        if isinstance(seen, Obstacle):
            return context.decline(self.technique, seen)
        tiles = tiles_of(context, found.parts)
        obstacle = _unfit(context, found, tiles, seen.block)
        if obstacle is not None:
            return context.decline(self.technique, obstacle)
        opened = _opened(context, found)
        if isinstance(opened, Obstacle):
            return context.decline(self.technique, opened)
        edits = with_opened_bounds(context, opened, list(item_tile_edits(context, found, tiles, seen.block, opened)))
        return (_rewrite(context, found, tiles, seen, edits),)


def _unfit(context: TransformationContext, found: ItemLoop, tiles: tuple[ItemTile, ...], block: Dim3) -> Obstacle | None:
    """Why a tile of these items does not fit the block, or does not pay."""
    if block.z != 1 or block.count < _LEAST_BLOCK:
        shape = f"the block is {block.x} x {block.y} x {block.z}"
        words = f"{shape}; at least {_LEAST_BLOCK} threads in a row or a plane would have to share a tile"
        return Obstacle(DeclineReason.BLOCK_SHAPE, words)
    bound = evaluate(found.header.bound_node, scope_of(context.tree, context.kernel), {})
    scalar = None if context.recorded is None else context.recorded.scalar(context.tree.text(found.header.bound_node))
    most = bound if bound is not None else None if scalar is None else scalar.highest
    if most is not None and most < _LEAST_ITEMS:
        words = f"the loop goes through {most:.0f} items, and a tile with its barriers pays for {_LEAST_ITEMS} or more"
        return Obstacle(DeclineReason.NO_GAIN, words)
    size, limit = bytes_of_item(context, tiles) * block.count, context.architecture.shared_bytes_per_block_default
    if size > limit:
        words = f"the tile would take {size} bytes of shared memory, more than the {limit} of a block"
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, words)
    return None


def _opened(context: TransformationContext, found: ItemLoop) -> OpenedBounds | Obstacle | None:
    """The bounds checks before and around the loop, opened for the barriers; None where there are none."""
    checks = bounds_checks(context, found.node)
    return checks if isinstance(checks, Obstacle) else opened_bounds(context, checks, (found.node,)) if checks else None


def _rewrite(
    context: TransformationContext, found: ItemLoop, tiles: tuple[ItemTile, ...], seen: SeenBlock, edits: tuple[TextEdit, ...]
) -> Rewrite:
    block = seen.block
    size = f"blocks of {block.x} x {block.y} threads" if block.y > 1 else f"blocks of {block.x} threads"
    unseen = seen.assumptions or launch_elsewhere(context, size)
    pairs = [(pair.first, pair.second) for pair in found.apart]
    recorded = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
    names = " and ".join(f"`{name}`" for name in dict.fromkeys(part.base for part in found.parts))
    reuse = next((e.value for e in context.evidence if e.metric == "load_reuse_in_block"), 0.0)
    return Rewrite(
        technique=TiledPairs.technique,
        kernel=context.kernel.key,
        line=context.tree.line(found.node),
        edits=edits,
        summary=f"Load {names} once per block, {block.count} items at a time, through shared memory.",
        labels=(Label.ASSUMPTION,) if unseen or recorded else (),
        predictions=predicted_values(context, {"load_reuse_in_block": max(1.0, reuse / _asked_before(context, found, block))}),
        assumptions=(*(unseen or (f"every launch has {size}, as all launches in this {extent_of(context)} do",)), *recorded),
    )


def _asked_before(context: TransformationContext, found: ItemLoop, block: Dim3) -> float:
    """How often a block asks for each sector of the items: each warp asks for each value by itself."""
    sizes = [element_size_bytes(context.tree.program, plain_type(context.tree, part.type)) or 4 for part in found.parts]
    return max(1.0, block.count / _WARP * _SECTOR_BYTES * len(sizes) / sum(sizes))
