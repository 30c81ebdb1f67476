"""Bring pieces of rows to shared memory together where each thread walks along a row of its own.

Answers KO101, KO102 and KO108 on loops whose iterations wait for each other (filters, sweeps of tridiagonal systems, state machines), so
that no other thread could do them. The loop goes chunk by chunk: the block loads a piece of all its rows side by side, each thread walks
through its own in shared memory, and what it made is stored side by side. Values and their order stay as they are.

Example::

    for (int t = 0; t < samples; t++) { s = a * s + in[ch * samples + t]; out[ch * samples + t] = s; }
    // becomes, for blocks of 64 threads
    __shared__ float in_tile[64][32 + 1];
    __shared__ float out_tile[64][32 + 1];
    for (int chunk = 0; chunk < samples; chunk += 32) {
        …                                             // the block: in_tile[r][column] = in[other_ch * samples + at]
        __syncthreads();
        if (is_inside)
            for (int t = chunk; t < chunk_end; t++) { s = a * s + in_tile[threadIdx.x][t - chunk]; … }
        __syncthreads();
        …                                             // the block: out[other_ch * samples + at] = out_tile[r][column]
    }
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node, without_comments
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.bounds_checks import bounds_checks
from assistant.plan.expert.analysis.kernel_launches import extent_of
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.launch_block import SeenBlock, seen_block, seen_shape
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.walked_rows import WalkedLoop, roots_in, stored_roots, walked_loop
from assistant.plan.expert.analysis.workload_block import launch_elsewhere
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.opened_bounds import OpenedBounds, opened_bounds, with_opened_bounds
from assistant.plan.expert.writing.staged_rows_text import Chunk, StagedLoop, idle_declarations, staged_edit, staged_loop, tile_names
from assistant.workload.recorded_words import apart_assumption

__all__ = ["StagedRows"]

_CHUNKS = (32, 16, 8)
"""Elements of a row in shared memory at once, the better first: 32 floats are a line of L1. Our own choice."""
_LEAST_ROW = 16
"""Elements of a row: fewer are a few lines of memory, which L1 keeps meanwhile. Our own choice."""
_LEAST_WARPS = BUSY_BLOCKS
"""Two for each multiprocessor. Predicted for an H200: 0.45x to 0.87x with up to 63 warps, 1.15x to 2.45x with 626 to 1,563. Our own choice
between them."""
_SECTOR_BYTES = 32
_USUAL_BLOCK = Dim3(256, 1, 1)
"""Where the block's size is not known, and the edit is declined for that."""


class StagedRows:
    """``out[ch * n + t]`` of each thread by itself → pieces of all rows of the block, through shared memory."""

    technique = "staged-rows"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        function = enclosing_function(context.tree, context.body)
        walked = None if function is None else _asked_about(context, function)
        if function is None or walked is None:
            return ()
        seen = seen_block(context)
        obstacle = next((each for each in (walked, seen, _few_warps(context)) if isinstance(each, Obstacle)), None)
        if obstacle is not None or isinstance(walked, Obstacle) or isinstance(seen, Obstacle):
            return context.decline(self.technique, obstacle or Obstacle(DeclineReason.LOOP_FORM, ""))
        result = _rewrite(context, function, walked, seen)
        return context.decline(self.technique, result) if isinstance(result, Obstacle) else (result,)


def _asked_about(context: TransformationContext, function: Function) -> WalkedLoop | Obstacle | None:
    """The outermost loop around the finding's line that walks along rows."""
    seen = seen_shape(context)
    block = seen.block if isinstance(seen, SeenBlock) else _USUAL_BLOCK
    loops = context.tree.find("for_statement", inside=context.body)
    around = (n for n in loops if n.start_point[0] < context.line <= n.end_point[0] + 1)
    return next((found for loop in around if (found := walked_loop(context, function, loop, block)) is not None), None)


def _few_warps(context: TransformationContext) -> Obstacle | None:
    """Of the launches that are known: with few, the kernel waits for its own steps, and finds what it loads again in L1."""
    warps = max((launch.grid.count * -(-launch.block.count // 32) for launch in context.launches), default=_LEAST_WARPS)
    if warps >= _LEAST_WARPS:
        return None
    words = f"the launch would have to have {_LEAST_WARPS} warps or more, two for each multiprocessor of a large GPU"
    return Obstacle(DeclineReason.NO_GAIN, f"{words}: L1 keeps the rows of fewer until they are used up")


def _rewrite(context: TransformationContext, function: Function, asked: WalkedLoop, seen: SeenBlock) -> Rewrite | Obstacle:
    checks = bounds_checks(context, asked.node)
    if isinstance(checks, Obstacle):
        return checks
    loops = _loops(context, function, asked, checks, seen.block)
    columns = _columns(context, loops, seen.block)
    if columns is None and len(loops) > 1:
        loops = (asked,)
        columns = _columns(context, loops, seen.block)
    if isinstance(columns, Obstacle) or columns is None:
        return columns or _too_large(context, loops, seen.block)
    nodes = tuple(loop.node for loop in loops)
    opened = opened_bounds(context, checks, nodes[:1], nodes[1:]) if checks else None
    if isinstance(opened, Obstacle):
        return opened
    staged = _staged(context, function, loops, Chunk(seen.block.x, columns), opened)
    if isinstance(staged, Obstacle):
        return staged
    edits = [*(staged_edit(context, each) for each in staged), *_idle_outside(context, loops)]
    return _described(context, asked, loops, seen, columns, with_opened_bounds(context, opened, edits))


def _loops(
    context: TransformationContext, function: Function, asked: WalkedLoop, checks: Sequence[Node], block: Dim3
) -> tuple[WalkedLoop, ...]:
    """The loop and others next to it that walk along rows as it does."""
    beside = [n for n in (asked.node.parent or context.body).named_children if n.type in LOOPS and n != asked.node]
    is_behind = [n for n in beside if all(check.start_byte < n.start_byte for check in checks)]
    others = [walked_loop(context, function, loop, block) for loop in is_behind]
    found = [asked, *(each for each in others if isinstance(each, WalkedLoop))]
    return tuple(sorted(found, key=lambda each: each.node.start_byte))


def _columns(context: TransformationContext, loops: Sequence[WalkedLoop], block: Dim3) -> int | Obstacle | None:
    """Elements of a chunk; None where even the shortest does not fit a block's shared memory."""
    names = tile_names(context, loops)
    held = {name: tile.size_bytes for tile, name in names.items()}
    trips = [loop.header.trip_count(context.tree) for loop in loops]
    if any(trip is not None and trip < _LEAST_ROW for trip in trips):
        words = f"the rows would have to have {_LEAST_ROW} elements or more, so that loading them together pays for the barriers"
        return Obstacle(DeclineReason.NO_GAIN, words)
    used = 0 if context.resources is None else context.resources.static_shared_bytes
    size, limit = sum(held.values()), context.architecture.shared_bytes_per_block_default
    return next((columns for columns in _CHUNKS if used + block.x * (columns + 1) * size <= limit), None)


def _too_large(context: TransformationContext, loops: Sequence[WalkedLoop], block: Dim3) -> Obstacle:
    held = {name: tile.size_bytes for tile, name in tile_names(context, loops).items()}
    size = sum(held.values()) * block.x * (_CHUNKS[-1] + 1)
    limit = context.architecture.shared_bytes_per_block_default
    words = f"{_CHUNKS[-1]} elements of each row of a block take {size:,} bytes, and would have to fit in {limit:,} bytes of shared memory"
    return Obstacle(DeclineReason.LIMIT_EXCEEDED, f"{words}: smaller blocks would do")


def _staged(
    context: TransformationContext, function: Function, loops: Sequence[WalkedLoop], chunk: Chunk, opened: OpenedBounds | None
) -> tuple[StagedLoop, ...] | Obstacle:
    names, found = tile_names(context, loops), list[StagedLoop]()
    taken, waited_byte = set[str](), 0
    for loop in loops:
        before, after = _barriers(context, function, loop, loops, waited_byte)
        waited_byte = loop.node.end_byte if after else loop.node.start_byte if before else waited_byte
        declared = tuple(tile for tile in loop.tiles if names[tile] not in taken)
        taken |= {names[tile] for tile in declared}
        each = staged_loop(context, function, loop, chunk, names, opened, declared, (before, after))
        if isinstance(each, Obstacle):
            return each
        found.append(each)
    return tuple(found)


def _barriers(
    context: TransformationContext, function: Function, loop: WalkedLoop, loops: Sequence[WalkedLoop], waited_byte: int
) -> tuple[bool, bool]:
    """Whether threads have to wait for what others stored before the loop, or behind it for what the block stored of their rows.

    ``waited_byte``: where the last barrier stands that all threads come to, whatever the sizes."""
    stored = {tile.pointer for tile in loop.tiles if tile.is_stored}
    others = [n for n in _statements_beside(context, loop.node) if all(n != each.node for each in loops)]
    earlier = [each.node for each in loops if waited_byte <= each.node.start_byte < loop.node.start_byte]
    before = [*earlier, *(n for n in others if waited_byte <= n.start_byte and n.end_byte <= loop.node.start_byte)]
    touched = roots_in(context, function, loop.node)
    is_filled_late = not any(tile.is_loaded for tile in loop.tiles) and bool(earlier)  # no barrier of its own before threads fill the tiles
    return (
        is_filled_late or any(stored_roots(context, function, n) & touched for n in before),
        any(roots_in(context, function, n) & stored for n in others if n.start_byte >= loop.node.end_byte),
    )


def _statements_beside(context: TransformationContext, loop: Node) -> tuple[Node, ...]:
    """Statements before and behind the loop: beside it, and beside the bounds check around it."""
    beside = (*without_comments(loop.parent or context.body), *without_comments(context.body))
    return tuple(n for n in beside if not n.start_byte <= loop.start_byte < n.end_byte)


def _idle_outside(context: TransformationContext, loops: Sequence[WalkedLoop]) -> list[TextEdit]:
    """Pointers to a thread's own row, and indices, that nothing mentions any more; loops leave out their own."""
    spans = [context.tree.span(loop.node) for loop in loops]
    found = idle_declarations(context, context.body, [node for loop in loops for tile in loop.tiles for node in tile.nodes])
    return [edit for edit in found if not any(span.start <= edit.span.start < span.end for span in spans)]


def _described(
    context: TransformationContext,
    asked: WalkedLoop,
    loops: Sequence[WalkedLoop],
    seen: SeenBlock,
    columns: int,
    edits: tuple[TextEdit, ...],
) -> Rewrite:
    size = f"blocks of {seen.block.x} threads"
    unseen = seen.assumptions or launch_elsewhere(context, size)
    pairs = list(dict.fromkeys((pair.first, pair.second) for loop in loops for pair in loop.apart))
    recorded = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
    pointers = list(dict.fromkeys(f"`{tile.pointer}`" for loop in loops for tile in loop.tiles))
    names = pointers[0] if len(pointers) == 1 else f"{', '.join(pointers[:-1])} and {pointers[-1]}"
    return Rewrite(
        technique=StagedRows.technique,
        kernel=context.kernel.key,
        line=context.tree.line(asked.node),
        edits=edits,
        summary=f"Let the block move {names} side by side, {columns} elements of each row at a time, through shared memory.",
        labels=(Label.ASSUMPTION,) if unseen or recorded else (),
        predictions=predicted_sectors(context, max(tile.size_bytes for tile in asked.tiles) / _SECTOR_BYTES),
        assumptions=(*(unseen or (f"every launch has {size}, as all launches in this {extent_of(context)} do",)), *recorded),
    )
