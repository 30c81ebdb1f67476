"""Collect a block's results in a shared tile and write them out in the order of memory.

Answers KO101 and KO102 on a store whose neighbours in a warp lie a row apart, where the store is the last thing a thread does: a
transpose, or anything that reads along rows and writes along columns. After the barrier each thread stores the result of its
mirror image in the tile. The tile is as wide as the block; the block is square, or its threads walk over the tile's rows.
"""

from __future__ import annotations

from assistant.model.launch import Dim3
from assistant.model.plan import Decline, Rewrite
from assistant.plan.expert.launch_shape import block_dims, launches_of
from assistant.plan.expert.memory_accesses import Access, addresses, global_accesses, unknown_sizes, warp_cost
from assistant.plan.expert.predictions import predicted_sectors
from assistant.plan.expert.recompute import partner_of
from assistant.plan.expert.row_loop import RowLoop, compared_parts, row_loop_of, sees_rows_alike
from assistant.plan.expert.staged_store_text import Staging, staging_edits
from assistant.plan.expert.store_position import Position, position_of
from assistant.plan.expert.tile_checks import hidden_builtin, uncontrolled_launch
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.values import scope_of
from assistant.plan.expert.warp_pattern import lane_environments, sector_count
from assistant.plan.expert.workload_block import declared_shapes

__all__ = ["StagedStore"]

_SMALLEST_EDGE = 8
"""Below it a row of the tile does not fill a 32-byte sector of 4-byte elements."""


class StagedStore:
    """``out[x * h + y] = v`` → ``tile[threadIdx.y][threadIdx.x] = v``, a barrier, and the store by the mirrored thread."""

    technique = "staged-store"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        staging = _staging(context)
        if isinstance(staging, str):
            return context.decline(self.technique, staging)
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=staging_edits(context, staging),
                summary=f"Collect the block's {staging.store.pointer} in a shared tile and store it row by row.",
                labels=(),
                predictions=predicted_sectors(context, staging.ratio),
                assumptions=(
                    f"every launch has blocks of {staging.block.x} x {staging.block.y} threads, as all launches in this file do",
                ),
            ),
        )


def _staging(context: TransformationContext) -> Staging | str:
    scope = scope_of(context.tree, context.kernel)
    stores = [a for a in global_accesses(context, scope) if a.line == context.line and a.is_store]
    if len(stores) != 1:
        return "this line is not one plain store to global memory" if not stores else "this line stores to several places"
    position = position_of(context, stores[0].node)
    if isinstance(position, str):
        return position
    reason = hidden_builtin(context) or uncontrolled_launch(context)
    if reason is not None:
        return reason
    block = _only_block(context)
    if isinstance(block, str):
        return block
    loop = _row_loop(context, stores[0], position, block)
    if isinstance(loop, str):
        return loop
    ratio = _gain(context, stores[0], block)
    if isinstance(ratio, str):
        return ratio
    conditions = tuple(c for c, _ in position.conditions)
    counter = None if loop is None else loop.counter
    partner = partner_of(context, stores[0].node, conditions, position.statements[0].start_byte, counter)
    if isinstance(partner, str):
        return partner
    reason = _too_large(context, stores[0], block.x)
    return Staging(stores[0], position, partner, block, loop, ratio) if reason is None else reason


def _row_loop(context: TransformationContext, store: Access, position: Position, block: Dim3) -> RowLoop | str | None:
    """The loop over the tile's rows; None where each thread stores once and the block is square."""
    if position.loop is None:
        if block.x == block.y:
            return None
        return f"the block is {block.x} x {block.y} threads; mirrored threads need a square one"
    loop = row_loop_of(context, position.loop, block)
    if isinstance(loop, str):
        return loop
    parts = (*store.offsets, *(part for condition, _ in position.conditions for part in compared_parts(condition)))
    if sees_rows_alike(context, parts, loop.counter, block):
        return loop
    return f"the store depends on {loop.counter} in another way than as the distance between rows"


def _only_block(context: TransformationContext) -> Dim3 | str:
    """The block that every launch of the text has."""
    blocks = [block_dims(launch) for launch in launches_of(context)]
    for shape in declared_shapes(context):
        sizes = [int(item.text) if item.text.isdigit() else None for item in shape.block]
        known = [s for s in sizes if s is not None]
        blocks.append(Dim3(*known) if known and len(known) == len(sizes) else None)
    found = {b for b in blocks if b is not None}
    if not found or None in blocks:
        return "the size of the block is not a constant of this file, and the tile must match it"
    if len(found) > 1:
        return "the kernel is launched with blocks of different sizes, and the tile must match each"
    block = found.pop()
    if block.z != 1:
        return "the block has three dimensions; mirrored threads need a plane"
    return block if block.x >= _SMALLEST_EDGE else f"rows of {block.x} threads are too short to fill a sector"


def _gain(context: TransformationContext, store: Access, block: Dim3) -> float | str:
    """Sectors of the store after / before; a sentence where staging it would not help, or exchanging x and y helps more."""
    scope, sizes = scope_of(context.tree, context.kernel), unknown_sizes(context)
    lanes = [{**sizes, **lane} for lane in lane_environments(block)]
    mirrored = [{**lane, "threadIdx.x": lane["threadIdx.y"], "threadIdx.y": lane["threadIdx.x"]} for lane in lanes]
    exchanged = [
        {**lane, **{f"{b}.{a}": lane[f"{b}.{o}"] for b in ("blockIdx", "blockDim") for a, o in (("x", "y"), ("y", "x"))}}
        for lane in mirrored
    ]
    before, after = addresses(store.offsets, scope, lanes), addresses(store.offsets, scope, mirrored)
    if before is None or after is None:
        return "where this line stores depends on values that are only known while it runs"
    old, new = sector_count(before, store.size_bytes), sector_count(after, store.size_bytes)
    if new >= old:
        return "neighbouring threads already store to neighbouring elements, as far as a tile could arrange it"
    total = warp_cost(context, lanes).sectors
    if warp_cost(context, exchanged).sectors <= total - old + new:
        return "exchanging x and y would mend this store without a tile"
    return new / old


def _too_large(context: TransformationContext, store: Access, edge: int) -> str | None:
    used = 0 if context.resources is None else context.resources.static_shared_bytes
    limit = context.architecture.shared_bytes_per_block_default
    if used + edge * (edge + 1) * store.size_bytes <= limit:
        return None
    return f"with a tile the block's static shared memory would exceed its limit of {limit} bytes"
