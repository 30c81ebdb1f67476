"""Load what the threads of a block share once into tiles of shared memory, instead of once per thread.

The loop over ``k`` is cut into pieces as long as the block is wide; before each piece the block loads a tile of each matrix together.
The order of the arithmetic does not change. The tile has the size of the block, so every launch must have the same constant square block;
kernels that synchronize already, loops that store, and bounds that mix rows and columns are declined.

Example::

    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + col];
    // becomes, for a block of 16 x 16 threads
    for (int tile = 0; tile < n; tile += 16) {
        a_tile[threadIdx.y][threadIdx.x] = row < n && tile + threadIdx.x < n ? a[row * n + tile + threadIdx.x] : 0.0f;
        …
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.constants import integer_constant
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.loops import loops_around
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import known_blocks, launches_of
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.other_programs import other_block
from assistant.plan.expert.analysis.pointer_roots import element_type, global_pointers, unclear_access
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.analysis.thread_exchange import unseen_launch
from assistant.plan.expert.analysis.tile_loads import COLUMN_AXES, ROW_AXES, Along, TileLoad, tile_loads
from assistant.plan.expert.analysis.whole_block_guard import Guard, guard_of
from assistant.plan.expert.analysis.workload_block import guessed_launch, launch_elsewhere
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.shared_tile_text import TileText, tile_edits
from assistant.record import Record

__all__ = ["SharedTile"]

_WIDTHS = (8, 16, 32)
"""Block widths for which a square tile is worth its barriers; 32 x 32 is the largest block (1,024 threads)."""


_MAX_TILES = 4
"""Four tiles of 32 x 32 doubles are 32 KiB; a block may have 48 KiB of static shared memory (CUDA C++ Programming Guide,
"Technical Specifications per Compute Capability")."""


class _Loop(Record):
    """The loop that is cut into pieces."""

    function: Function
    node: Node
    header: CountedHeader
    loads: tuple[TileLoad, ...]
    guard: Guard


class SharedTile:
    """Redundant global loads of a square block → tiles in shared memory."""

    technique = "shared-tile"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = _loop_at(context)
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        width = _block_width(context)
        if isinstance(width, Obstacle):
            return context.decline(self.technique, width)
        return (_rewrite(context, found, width),)


def _block_width(context: TransformationContext) -> int | Obstacle:
    reason = unseen_launch(context) or guessed_launch(context)
    if reason is not None:
        return reason
    launches = launches_of(context)
    blocks = {block_dims(launch) for launch in launches} if launches else {*known_blocks(context)}
    block = blocks.pop() if len(blocks) == 1 else None
    if block is None:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "the block's size is not one constant for all launches, and the tile has to have it")
    if block.x != block.y or block.z != 1 or block.x not in _WIDTHS:
        return Obstacle(
            DeclineReason.BLOCK_SHAPE,
            f"the block is {block.x} x {block.y} x {block.z}; a tile needs a square one of 8, 16 or 32 threads a side",
        )
    return other_block(context, block) or block.x


def _loop_at(context: TransformationContext) -> _Loop | Obstacle:
    """The loop around the finding's line with loads that can be shared, or why there is none."""
    tree = context.tree
    if any("sync" in tree.text(n) for n in tree.find("call_expression", inside=context.body)):
        return Obstacle(
            DeclineReason.SYNCHRONIZES, "the kernel synchronizes its threads already; another barrier could change what they wait for"
        )
    obstacle = Obstacle(
        DeclineReason.NOTHING_TO_CHANGE,
        "no loop at this line loads `a[row * s + k]` or `b[k * s + col]` with rows and columns of the block",
    )
    for node in tree.find("for_statement", inside=context.body):
        function = enclosing_function(tree, node)
        header = counted_header(tree, node)
        if not node.start_point[0] < context.line <= node.end_point[0] + 1 or function is None or header is None:
            continue
        loads = tile_loads(tree, function, node, header.variable)
        if len({tree.text(load.node) for load in loads}) not in range(1, _MAX_TILES + 1):
            continue
        guard = _shared_guard(tree, function, node, header)
        if isinstance(guard, Guard):
            return _Loop(function, node, header, loads, guard)
        obstacle = guard
    return obstacle


def _shared_guard(tree: SyntaxTree, function: Function, loop: Node, header: CountedHeader) -> Guard | Obstacle:
    """The loop's guard where all threads of a block can run it together."""
    guard = guard_of(tree, function, loop)
    return _refusal(tree, function, loop, header) or (_guard_refusal(tree, function, guard) if isinstance(guard, Guard) else None) or guard


def _refusal(tree: SyntaxTree, function: Function, loop: Node, header: CountedHeader) -> Obstacle | None:
    is_plain = header.step == "1" and header.comparison == "<" and integer_constant(tree, header.first) == 0
    if not is_plain or thread_axes(tree, function, header.bound_node) != frozenset():
        return Obstacle(DeclineReason.LOOP_FORM, "the loop does not count from 0 to a bound that all threads share, one by one")
    start = loop.child_by_field_name("initializer")
    if start is None or start.type != "declaration":
        return Obstacle(DeclineReason.LOOP_FORM, "the loop's counter is used after the loop")
    before = loop.prev_named_sibling
    if before is not None and tree.text(before).lstrip().startswith("#pragma"):
        return Obstacle(DeclineReason.LOOP_FORM, "a `#pragma` before the loop sets how it is compiled")
    if "printf" in tree.text(loop):
        return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, "the loop prints, and threads outside the bounds would print too")
    if any(tree.find("break_statement", inside=loop)) or loops_around(tree, loop):
        return Obstacle(DeclineReason.LOOP_FORM, "the loop may end early or is inside another loop")
    for name in sorted(global_pointers(tree, function, loop)):
        kinds = {use.kind for use in uses_of(tree, loop, name)}
        if kinds & {Use.WRITE, Use.UPDATE, Use.ATOMIC}:
            return Obstacle(
                DeclineReason.OTHER_TECHNIQUE_FIRST, f"the loop stores through `{name}`: keep the running value in a register first"
            )
        if Use.ESCAPE in kinds:
            return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, f"the loop passes `{name}` on, so what is read through it cannot be seen")
    unclear = unclear_access(tree, function, loop)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{unclear}` points is not clear")
    return leaves_or_synchronizes(tree, loop)


def _guard_refusal(tree: SyntaxTree, function: Function, guard: Guard) -> Obstacle | None:
    for node, text in guard.conditions:
        axes = thread_axes(tree, function, node)
        if axes is None or len(axes) > 1:
            return Obstacle(DeclineReason.GUARD_FORM, f"the bounds check `{text}` does not belong to a row or a column alone")
    return None


def _has_other_loads(tree: SyntaxTree, loop: _Loop) -> bool:
    """The loop reads global memory other than through the tiles, which threads outside the bounds must not do."""
    pointers = global_pointers(tree, loop.function, loop.node)
    mentions = sum(len(uses_of(tree, loop.node, name)) for name in pointers)
    return mentions > len(loop.loads)


def _rewrite(context: TransformationContext, loop: _Loop, width: int) -> Rewrite:
    tree = context.tree
    conditions = {
        Along.ROW: tuple(t for n, t in loop.guard.conditions if thread_axes(tree, loop.function, n) != COLUMN_AXES),
        Along.COLUMN: tuple(t for n, t in loop.guard.conditions if thread_axes(tree, loop.function, n) != ROW_AXES),
    }
    types = {load.base: element_type(tree, loop.function, load.base) or "auto" for load in loop.loads}
    inside = loop.guard.inside if _has_other_loads(tree, loop) else ""
    text = TileText(loop.node, loop.header, loop.loads, loop.guard, conditions, inside, types, width)
    edits: tuple[TextEdit, ...] = tile_edits(context, text)
    names = " and ".join(f"`{name}`" for name in dict.fromkeys(load.base for load in loop.loads))
    elsewhere = launch_elsewhere(context, f"blocks of {width} x {width} threads")
    reuse = next((e.value for e in context.evidence if e.metric == "load_reuse_in_block"), 0.0)
    return Rewrite(
        technique=SharedTile.technique,
        kernel=context.kernel.key,
        line=tree.line(loop.node),
        edits=edits,
        summary=f"Load {names} once per block through tiles of {width} x {width} in shared memory.",
        labels=(Label.ASSUMPTION,) if elsewhere else (),
        predictions=predicted_values(context, {"load_reuse_in_block": max(1.0, reuse / width)}),
        assumptions=elsewhere,
    )
