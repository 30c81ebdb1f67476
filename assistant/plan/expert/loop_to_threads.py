"""Give each iteration of a thread's loop a thread of its own, along a second axis of the block and of the grid.

Neighbouring threads take neighbouring iterations where these touch neighbouring elements, neighbouring rows otherwise. The order of the
arithmetic of each result stays.

Example::

    for (int j = 0; j < m; j++) { … out[i * m + j] = sum; }        // <<<(n + 255) / 256, 256>>>
    // becomes, with <<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= m) return;
    … out[i * m + j] = sum;
"""

from __future__ import annotations

from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.scopes import scope_of
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.launch_block import flat_block
from assistant.plan.expert.analysis.launch_cover import covers
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.result_rows import ResultRows, is_read_along_loop, result_rows
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.two_axes_launch import Extent, two_axes_launches
from assistant.plan.expert.writing.two_axes_text import two_axes_edits
from assistant.workload.recorded_words import apart_assumption

__all__ = ["LoopToThreads"]

_FILLED = 270_336
"""Threads that 132 SMs of an H200 hold at once, 2,048 each."""
_FEWEST_ITERATIONS = 8
"""Below that most threads of a block's rows would find no element. Our own limit."""
_MOST_BLOCKS = 65_535
"""Along the second axis of a grid (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""
_SQUARE, _WIDE = Dim3(16, 16, 1), Dim3(32, 8, 1)
"""Where an iteration has a loop of its own, a block's rows and columns share what they load; else a warp should take one row."""


class LoopToThreads:
    """A thread a row → a thread for each element of the row."""

    technique = "loop-to-threads"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        block = flat_block(context)
        if isinstance(block, Obstacle):
            return () if block.code is DeclineReason.BLOCK_SHAPE else context.decline(self.technique, block)
        found = _rewrite(context, block)
        return context.decline(self.technique, found) if isinstance(found, Obstacle) else (found,)


def _rewrite(context: TransformationContext, old: Dim3) -> Rewrite | Obstacle:
    rows = result_rows(context, old)
    if isinstance(rows, Obstacle):
        return rows
    columns = _columns(context, rows)
    column_axis = "x" if is_read_along_loop(context, rows) else "y"
    extents = {column_axis: columns, "y" if column_axis == "x" else "x": Extent(rows.row_count, is_inclusive=False)}
    block = _SQUARE if any(context.tree.find(*LOOPS, inside=rows.loop.node.child_by_field_name("body"))) else _WIDE
    obstacle = covers(context, rows.row_count) or _without_gain(context, columns) or _too_many(context, extents["y"], block)
    launches = two_axes_launches(context, rows.function, extents, block)
    if obstacle is not None:
        return obstacle
    if isinstance(launches, Obstacle):
        return launches
    own, in_others = by_file(context, (*two_axes_edits(context, rows, column_axis), *launches))
    counter, count = rows.loop.header.variable, _block_count(context, extents, block)
    pairs = [(pair.first, pair.second) for pair in rows.loop.apart]
    return Rewrite(
        technique=LoopToThreads.technique,
        kernel=context.kernel.key,
        line=context.tree.line(rows.loop.node),
        edits=own,
        summary=f"Give each iteration of the loop over `{counter}` a thread of its own, in blocks of {block.x} x {block.y}.",
        labels=(Label.HOST_CODE, *((Label.ASSUMPTION,) if pairs else ())),
        predictions=() if count is None else predicted_values(context, {"block_count": count}),
        assumptions=(apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else (),
        in_others=in_others,
    )


def _columns(context: TransformationContext, rows: ResultRows) -> Extent:
    """How far any row's loop gets: where it ends at the row itself, as many columns as rows."""
    header = rows.loop.header
    if header.bound == rows.row.name:
        return Extent(rows.row_count, is_inclusive=False)
    return Extent(header.bound_node, is_inclusive=header.comparison == "<=")


def _without_gain(context: TransformationContext, columns: Extent) -> Obstacle | None:
    if declared_shapes(context):
        return Obstacle(DeclineReason.LAUNCH_FORM, "a workload block declares the launch, which the edit would have to give a second axis")
    threads = max((launch.grid.count * launch.block.count for launch in context.launches), default=0)
    if threads >= _FILLED:
        return Obstacle(DeclineReason.NO_GAIN, f"the launch has {threads} threads already, as many as a large GPU runs at once")
    count = _recorded(context, columns)
    if count is not None and count < _FEWEST_ITERATIONS:
        few = f"the loop has {count} iterations per thread: fewer than {_FEWEST_ITERATIONS} are not worth a thread each"
        return Obstacle(DeclineReason.NO_GAIN, few)
    return None


def _too_many(context: TransformationContext, extent: Extent, block: Dim3) -> Obstacle | None:
    count = _recorded(context, extent)
    if count is None or count <= _MOST_BLOCKS * block.y:
        return None
    many = f"{count} rows are more than {_MOST_BLOCKS} blocks of {block.y}, as many as a grid may have along its second axis"
    return Obstacle(DeclineReason.LIMIT_EXCEEDED, many)


def _recorded(context: TransformationContext, extent: Extent) -> int | None:
    """The most elements that a recorded launch had along the axis; None where nothing shows it."""
    scalars = {} if context.recorded is None else {s.name: int(s.highest) for s in context.recorded.scalars}
    return evaluate(extent.bound, scope_of(context.tree, context.kernel), scalars)


def _block_count(context: TransformationContext, extents: dict[str, Extent], block: Dim3) -> int | None:
    x, y = _recorded(context, extents["x"]), _recorded(context, extents["y"])
    return None if x is None or y is None else -(-x // block.x) * -(-y // block.y)
