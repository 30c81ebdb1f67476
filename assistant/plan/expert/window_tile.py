"""Load a window's elements once per block: a tile with a margin in shared memory, which the loops over the window then read.

The whole block fills the tile before the bounds check, by the author's own load, clamps and conditions written for an element of the
tile. What is computed, and in which order, stays as it is. An element is loaded only where a thread of the block would have loaded it.
In loops around the window, over channels or planes, the tile is filled anew in each iteration; threads outside the bounds then go
through these loops, too, for the barriers.

Example::

    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            s += src[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
    // becomes, for blocks of 32 x 8 threads and a tile of 8 + 2 * R rows of 32 + 2 * R
            s += src_tile[threadIdx.y + dy + R][threadIdx.x + dx + R];
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.assignments import changed_names
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.syntax import Node
from assistant.cuda.variables import Variable, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import extent_of
from assistant.plan.expert.analysis.launch_block import SeenBlock, seen_shape
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.pointer_roots import element_type, global_pointers, may_overlap
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.window_bounds import bounds_before
from assistant.plan.expert.analysis.window_loads import Window, window_at
from assistant.plan.expert.analysis.window_tables import tables_of
from assistant.plan.expert.analysis.workload_block import launch_elsewhere
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.opened_bounds import opened_bounds
from assistant.plan.expert.writing.window_tile_text import Tile, WindowTileText, span_of
from assistant.workload.aliasing import ApartAsRecorded
from assistant.workload.recorded_words import apart_assumption

__all__ = ["WindowTile"]

_LEAST_SAVED = 3
"""Loads of a thread per element that it puts into the tile: each costs a global load, a shared store and part of a barrier, while those
that L1 serves are cheap. Our own limit."""


class WindowTile:
    """Redundant loads of a window → a tile with a margin."""

    technique = "window-tile"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        seen = seen_shape(context)
        tile = _tile(context, seen)
        if isinstance(tile, Obstacle) or isinstance(seen, Obstacle):
            obstacle = tile if isinstance(tile, Obstacle) else seen
            assert isinstance(obstacle, Obstacle), "one of them is"
            return context.decline(self.technique, obstacle)
        edits = WindowTileText(context, tile).edits()
        if edits is None:
            words = "what decides whether an element of the window is loaded would have to be its row and column alone"
            return context.decline(self.technique, Obstacle(DeclineReason.CONDITIONAL, words))
        block = tile.block
        size = f"blocks of {block.x} x {block.y} threads" if block.y > 1 else f"blocks of {block.x} threads"
        unseen = seen.assumptions or launch_elsewhere(context, size)
        pairs = [(pair.first, pair.second) for pair in tile.apart]
        recorded = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
        reuse = next((e.value for e in context.evidence if e.metric == "load_reuse_in_block"), 0.0)
        per_thread = _elements(tile.window, block) / block.count
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.tree.line(tile.window.loop),
                edits=edits,
                summary=f"Load `{tile.window.base}` once per block into a tile that holds the windows of all its threads.",
                labels=(Label.ASSUMPTION,) if unseen or recorded else (),
                predictions=predicted_values(context, {"load_reuse_in_block": reuse * per_thread / tile.window.taps}),
                assumptions=(*(unseen or (f"every launch has {size}, as all launches in this {extent_of(context)} do",)), *recorded),
            ),
        )


def _tile(context: TransformationContext, seen: SeenBlock | Obstacle) -> Tile | Obstacle:
    window = window_at(context)
    if isinstance(window, Obstacle):
        return window
    apart = _undisturbed(context, window)
    if isinstance(apart, Obstacle):
        return apart
    bounds = bounds_before(context, window)
    if isinstance(bounds, Obstacle):
        return bounds
    opened = opened_bounds(context, bounds.checks, (window.loop, *window.around)) if window.around and bounds.checks else None
    if isinstance(opened, Obstacle):
        return opened
    if isinstance(seen, Obstacle):
        return seen
    block = seen.block
    axes = {c.axis for c in window.coordinates}
    if block.z != 1 or "x" not in axes or (block.y > 1 and "y" not in axes):
        words = f"the block is {block.x} x {block.y} x {block.z}, and its axes would have to be the rows and columns of the elements"
        return Obstacle(DeclineReason.BLOCK_SHAPE, words)
    offset_bytes = (window.loop if window.around else bounds.statement).start_byte
    obstacle = _out_of_sight(context, window, offset_bytes)
    if obstacle is not None:
        return obstacle
    element = element_type(context.tree, window.function, window.base)
    if element is None or element == "auto":
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the text would have to name the type of the elements of `{window.base}`")
    count, size = _elements(window, block), element_size_bytes(context.tree, element) or 16
    limit = context.architecture.shared_bytes_per_block_default
    if count * size > limit:
        return Obstacle(
            DeclineReason.LIMIT_EXCEEDED, f"the tile would take {count * size} bytes of shared memory, more than the {limit} of a block"
        )
    if window.taps * block.count < _LEAST_SAVED * count:
        words = f"a thread would have to load at least {_LEAST_SAVED} times as many elements as it puts into the tile: the window is small"
        return Obstacle(DeclineReason.NO_GAIN, words)
    tables = tables_of(context, window)
    table_bytes = sum(table.count * (element_size_bytes(context.tree, table.element) or 16) for table in tables)
    is_seen = all(_out_of_sight(context, window, offset_bytes, load) is None for t in tables for load in t.loads[:1])
    return Tile(window, bounds, block, element, tables if is_seen and count * size + table_bytes <= limit else (), opened, apart)


def _elements(window: Window, block: Dim3) -> int:
    """Elements of the tile."""
    spans = {c.axis: span_of(window, c) for c in window.coordinates}
    count = 1
    for axis, edge in (("x", block.x), ("y", block.y)):
        count *= edge + (spans[axis].last - spans[axis].first if axis in spans else 0)
    return count


def _undisturbed(context: TransformationContext, window: Window) -> tuple[ApartAsRecorded, ...] | Obstacle:
    """What only recorded launches show to be apart; why an element may change, or other threads wait, before the loops have read it."""
    tree = context.tree
    if any("sync" in tree.text(n) for n in tree.find("call_expression", inside=context.body)):
        return Obstacle(
            DeclineReason.SYNCHRONIZES, "the kernel synchronizes its threads already; another barrier could change what they wait for"
        )
    effects = leaves_or_synchronizes(tree, window.outermost)
    if effects is not None:
        return effects
    globals_, apart = global_pointers(tree, window.function, context.body), dict[ApartAsRecorded, None]()
    for access in array_accesses(tree, context.body):
        if access.base not in globals_ or access.kind is Use.READ:
            continue
        is_before = access.node.start_byte < (window.outermost.start_byte if window.around else window.loop.end_byte)
        if is_before or access.base == window.base:
            words = f"nothing would have to store before the window is read, nor to `{window.base}`: line {tree.line(access.node)} does"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
        if access.node.start_byte < window.outermost.end_byte:
            found = may_overlap(tree, window.function, access.base, window.base, context.recorded)
            if isinstance(found, Obstacle):
                return found
            apart |= {} if found is None else {found: None}
    return tuple(apart)


def _out_of_sight(context: TransformationContext, window: Window, offset_bytes: int, *loads: Node) -> Obstacle | None:
    """Why the load cannot be written before the bounds check: a local of it is declared later, or counts without a sign."""
    tree = context.tree
    declared = locals_of(tree, context.body)
    pending, seen = [window.value, *(c.node for c in window.conditions), *loads], set[str]()
    while pending:
        for name in tree.find("identifier", inside=pending.pop()):
            text, definition = tree.text(name), window.names.definition(name)
            if text in seen or text in window.names.ranges or text not in declared:
                continue
            seen.add(text)
            is_inside = any(v.node.start_byte >= window.loop.start_byte for v in declared[text])
            if definition is not None:
                pending.append(definition)
            is_of_thread = bool(window.names.roots(name)) and not _is_common_pointer(context, window, declared[text])
            if is_of_thread and {v.type for v in declared[text]} - {"int", "long"}:
                return Obstacle(
                    DeclineReason.TYPE_UNKNOWN, f"`{text}` would have to be an `int`: an element of the margin may lie before the first"
                )
            if not is_inside and any(v.node.start_byte >= offset_bytes for v in declared[text]):
                return Obstacle(
                    DeclineReason.NOT_RECOMPUTABLE, f"`{text}` would have to be declared before the bounds check, where the tile is loaded"
                )
    return None


def _is_common_pointer(context: TransformationContext, window: Window, variables: tuple[Variable, ...]) -> bool:
    """A pointer that is the same in all threads of the block: ``const float *plane = maps + c * h * w;``."""
    pointer = variables[0]
    is_kept = len(variables) == 1 and pointer.is_pointer and pointer.name not in changed_names(context.tree, context.body)
    return is_kept and pointer.value is not None and not window.names.roots(pointer.value)
