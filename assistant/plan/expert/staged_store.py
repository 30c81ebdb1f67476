"""Collect a block's results in a shared tile and write them out in the order of memory.

Answers KO101 and KO102 on a store whose neighbours in a warp lie a row apart, where the store is the last thing a thread does: a
transpose, or anything that reads along rows and writes along columns. After the barrier each thread stores the result of its
mirror image in the tile. The tile is the block, which must be square, or as wide as the block where its threads walk over the tile's rows.
Of blocks of 1024 threads, of which a GPU holds few, there are variants with fewer, each of which takes several rows of the same tile; how
many is left to tuning.

Example::

    out[x * h + y] = v;   ->   tile[threadIdx.y][threadIdx.x] = v; __syncthreads(); out[y_out * h + x_out] = tile[…][…];
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.cuda.edits import apply_edits, edits_between
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file, extent_of, launches_of
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.memory_accesses import Access, addresses, global_accesses, loop_weight, unknown_sizes, warp_cost
from assistant.plan.expert.analysis.other_programs import other_block
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.row_loop import RowLoop, compared_parts, row_loop_of, sees_rows_alike
from assistant.plan.expert.analysis.shorter_blocks import shorter_blocks
from assistant.plan.expert.analysis.store_position import Position, position_of
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch
from assistant.plan.expert.analysis.warp_pattern import WARP_SIZE, exchanged_lane, lane_environments, sector_count, wavefront_count
from assistant.plan.expert.analysis.workload_block import declared_shapes, guessed_launch, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.recompute import MIRRORED, Place, partner_of
from assistant.plan.expert.writing.several_rows_text import several_rows
from assistant.plan.expert.writing.staged_store_text import Staging, edge_text, rectangular_place, staging_edits
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.untiled import with_body

__all__ = ["StagedStore"]

_LARGEST_PAD = 8
"""Longest padding that is tried, in elements."""
_FULL_EDGE = 32
"""Of a square block with as many threads as a block may have."""
_FEW_ROWS = (8, 16, 4)
"""Of a block, the most promising first: 8 leave an SM room for seven others (docs/measurements.md: 1024 threads reach 38 % of an H200's
DRAM peak)."""
_IN_WORDS = {2: "two", 4: "four", 8: "eight"}


class StagedStore:
    """``out[x * h + y] = v`` → ``tile[threadIdx.y][threadIdx.x] = v``, a barrier, and the store by the mirrored thread."""

    technique = "staged-store"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        scope = scope_of(context.tree, context.kernel)
        stores = [a for a in global_accesses(context, scope) if a.line == context.line and a.is_store]
        if not stores:
            return _no_plain_store(context, self.technique)
        staging = _staging(context, stores)
        if isinstance(staging, Obstacle):
            return context.decline(self.technique, staging)
        edits = staging_edits(context, staging)
        shorter = [found for rows in _FEW_ROWS for found in _shorter(context, staging, edits, rows)]
        return (*shorter[:1], _rewrite(context, staging, edits), *shorter[1:])


def _rewrite(context: TransformationContext, staging: Staging, edits: tuple[TextEdit, ...]) -> Rewrite:
    """The edit that leaves the launch as it is."""
    size = f"blocks of {staging.block.x} x {staging.block.y} threads"
    elsewhere = launch_elsewhere(context, size)
    return Rewrite(
        technique=StagedStore.technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=edits,
        summary=f"Collect the block's {staging.store.pointer} in a shared tile and store it row by row.",
        labels=(Label.ASSUMPTION,) if elsewhere else (),
        predictions=predicted_sectors(context, staging.ratio),
        assumptions=elsewhere or (f"every launch has {size}, as all launches in this {extent_of(context)} do",),
    )


def _shorter(context: TransformationContext, staging: Staging, edits: tuple[TextEdit, ...], rows: int) -> tuple[Rewrite, ...]:
    """The same with blocks of fewer rows, where they are as large as they may be and more than the GPU holds at once."""
    block = staging.block
    is_crowded = any(launch.grid.count > BUSY_BLOCKS for launch in context.launches)
    if (block.x, block.y) != (_FULL_EDGE, _FULL_EDGE) or not is_crowded:
        return ()
    staged = with_body(context, _body_after(context, edits), context.line)
    body = None if staged is None else several_rows(staged, edge_text(context, block.y), rows)
    launches = shorter_blocks(context, rows)
    if body is None or isinstance(launches, Obstacle):
        return ()
    span, size = context.tree.span(context.body), f"blocks of {block.x} x {rows} threads"
    inside = edits_between(context.text, context.text[: span.start] + body + context.text[span.end :])
    own, in_others = by_file(context, (*inside, *launches))
    elsewhere = launch_elsewhere(context, size)
    plain = _rewrite(context, staging, own)
    words = f"{plain.summary.rstrip('.')}, with {_IN_WORDS[block.y // rows]} rows of it in each thread"
    return (
        replace(
            plain,
            summary=words + ("; change your launch accordingly." if elsewhere else "."),
            labels=launch_labels(context, elsewhere),
            assumptions=elsewhere,
            in_others=in_others,
            numbers=(("block_rows", rows),),
        ),
    )


def _body_after(context: TransformationContext, edits: tuple[TextEdit, ...]) -> str:
    span = context.tree.span(context.body)
    after = apply_edits(context.text, edits)
    assert isinstance(after, str), "edits of one text do not overlap"
    return after[span.start : len(after) - (len(context.text) - span.end)]


def _no_plain_store(context: TransformationContext, technique: str) -> tuple[Rewrite, ...] | Decline:
    """Of a line that only loads there is nothing to say."""
    accesses = (access for profile in context.profiles for access in profile.accesses)
    if not any((access.line, access.op) == (context.line, "global store") for access in accesses):
        return ()
    return context.decline(technique, Obstacle(DeclineReason.STORE_FORM, "the line would have to store by a plain `out[index] = value`"))


def _staging(context: TransformationContext, stores: Sequence[Access]) -> Staging | Obstacle:
    if len(stores) > 1:
        return Obstacle(DeclineReason.STORE_FORM, "this line stores to several places")
    position = position_of(context, stores[0].node)
    if isinstance(position, Obstacle):
        return position
    reason = hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
    if reason is not None:
        return reason
    block = _only_block(context)
    if isinstance(block, Obstacle):
        return block
    loop = _row_loop(context, stores[0], position, block)
    if isinstance(loop, Obstacle):
        return loop
    ratio = _gain(context, stores[0], block, loop is not None)
    if isinstance(ratio, Obstacle):
        return ratio
    conditions = tuple(c for c, _ in position.conditions)
    partner = partner_of(context, stores[0].node, conditions, position.statements[0].start_byte, _place(context, block, loop))
    if isinstance(partner, Obstacle):
        return partner
    pad = _pad(block, stores[0].size_bytes) if loop is None else 1
    reason = _too_large(context, stores[0], block.x * (block.x + pad))
    return Staging(stores[0], position, partner, block, loop, pad, ratio) if reason is None else reason


def _place(context: TransformationContext, block: Dim3, loop: RowLoop | None) -> Place:
    if loop is not None:
        return Place(style_of(context).sum("threadIdx.y", loop.counter), "threadIdx.x", loop.counter)
    return MIRRORED if block.x == block.y else rectangular_place(context, block)


def _pad(block: Dim3, size_bytes: int) -> int:
    """Fewest elements that let a warp read the tile by columns with the fewest bank conflicts."""
    places = _mirrored_places(block)

    def cost(pad: int) -> int:
        return wavefront_count([y * (block.x + pad) + x for x, y in places], size_bytes)

    return min(range(1, _LARGEST_PAD + 1), key=lambda pad: (cost(pad), pad))


def _mirrored_places(block: Dim3) -> tuple[tuple[int, int], ...]:
    """(x, y) in the tile of the first warp's threads, counted down the columns."""
    return tuple((thread // block.y, thread % block.y) for thread in range(min(WARP_SIZE, block.count)))


def _row_loop(context: TransformationContext, store: Access, position: Position, block: Dim3) -> RowLoop | Obstacle | None:
    """The loop over the tile's rows; None where each thread stores once."""
    if position.loop is None:
        return None
    loop = row_loop_of(context, position.loop, block)
    if isinstance(loop, Obstacle):
        return loop
    parts = (*store.offsets, *(part for condition, _ in position.conditions for part in compared_parts(condition)))
    if sees_rows_alike(context, parts, loop.counter, block):
        return loop
    return Obstacle(DeclineReason.LOOP_FORM, f"the store depends on {loop.counter} other than as the distance between rows")


def _only_block(context: TransformationContext) -> Dim3 | Obstacle:
    """The block that every launch of the text has."""
    blocks = [block_dims(launch) for launch in launches_of(context)]
    for shape in declared_shapes(context):
        sizes = [int(item.text) if item.text.isdigit() else None for item in shape.block]
        known = [s for s in sizes if s is not None]
        blocks.append(Dim3(*known) if known and len(known) == len(sizes) else None)
    found = {b for b in blocks if b is not None}
    if not found or None in blocks:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "the size of the block is not a constant of this file, and the tile must match it")
    if len(found) > 1:
        return Obstacle(DeclineReason.BLOCK_SHAPE, "the kernel is launched with blocks of different sizes, and the tile must match each")
    block = found.pop()
    if block.z != 1:
        return Obstacle(DeclineReason.BLOCK_SHAPE, "the block has three dimensions; mirrored threads need a plane")
    if min(block.x, block.y) == 1:
        return Obstacle(DeclineReason.BLOCK_SHAPE, f"the block is {block.x} x {block.y} threads: it has no columns to store along")
    return other_block(context, block) or block


def _gain(context: TransformationContext, store: Access, block: Dim3, is_walk: bool) -> float | Obstacle:
    """Sectors of the store after / before; a sentence where staging it would not help, or exchanging x and y helps more."""
    scope, sizes = scope_of(context.tree, context.kernel), unknown_sizes(context)
    lanes = [{**sizes, **lane} for lane in lane_environments(block)]
    places = ((lane["threadIdx.y"], lane["threadIdx.x"]) for lane in lanes) if is_walk else _mirrored_places(block)
    mirrored = [{**lane, "threadIdx.x": x, "threadIdx.y": y} for lane, (x, y) in zip(lanes, places, strict=True)]
    before, after = addresses(store.offsets, scope, lanes), addresses(store.offsets, scope, mirrored)
    if before is None or after is None:
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, "where this line stores depends on values that are only known while it runs")
    old, new = sector_count(before, store.size_bytes), sector_count(after, store.size_bytes)
    if new >= old:
        return Obstacle(
            DeclineReason.NO_GAIN, "neighbouring threads already store to neighbouring elements, as far as a tile could arrange it"
        )
    total = warp_cost(context, lanes).sectors
    exchanged = [{**sizes, **exchanged_lane(lane)} for lane in lane_environments(Dim3(block.y, block.x))]
    if warp_cost(context, exchanged).sectors <= total - (old - new) * loop_weight(store.node):
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, "exchanging x and y would coalesce this store without a tile")
    return new / old


def _too_large(context: TransformationContext, store: Access, element_count: int) -> Obstacle | None:
    used = 0 if context.resources is None else context.resources.static_shared_bytes
    limit = context.architecture.shared_bytes_per_block_default
    if used + element_count * store.size_bytes <= limit:
        return None
    return Obstacle(DeclineReason.LIMIT_EXCEEDED, f"with a tile the block's static shared memory would exceed its limit of {limit} bytes")
