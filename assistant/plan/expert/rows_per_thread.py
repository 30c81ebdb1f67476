"""Let a thread of a stencil compute several rows, so that it loads once what neighbouring rows share, has more loads under way, and fewer
blocks have to start.

Threads of a launch run in no order. So one thread may do the work of several, all loads before the first store, whatever may overlap: that
is one of the orders that the kernel may have now.

Example::

    if (y < h && x < w) out[y * w + x] = in[(y - 1) * w + x] + in[(y + 1) * w + x];
    // becomes, for four rows
    for (int r = 0; r < 4; r++) { const int y = first_y + r; result[r] = in[(y - 1) * w + x] + in[(y + 1) * w + x]; }
    for (int r = 0; r < 4; r++) { const int y = first_y + r; out[y * w + x] = result[r]; }
"""

from __future__ import annotations

import math

from assistant.cuda.row_loads import RowLoads, row_loads
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.plane_result import PlaneResult, plane_result
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.workload_block import launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.plane_rows_text import plane_rows_edits

__all__ = ["RowsPerThread"]

_ROWS = (4, 2)
"""Rows of a thread, most first: four rows of a stencil of three need six where four threads need twelve."""
_PARTS = {4: "a quarter", 2: "half"}
_BLOCK_STARTS = "KO127"
"""Fewer blocks are what it asks for, whatever their rows share."""
_NO_SHARED_LOADS = Obstacle(DeclineReason.NO_GAIN, "neighbouring rows load no element in common, as far as the indices show")
_TOO_FEW_BLOCKS = Obstacle(DeclineReason.NO_GAIN, "at this size threads of several rows would be too few to keep a large GPU busy")


class RowsPerThread:
    """One row a thread → four, or two."""

    technique = "rows-per-thread"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        result = plane_result(context)
        if result is None:
            return ()
        if isinstance(result, Obstacle):
            return context.decline(self.technique, result)
        counts = [count for count in _ROWS if _is_busy(context, count)]
        loads = {count: row_loads(context.tree, context.body, result.row.name, count) for count in counts}
        is_any = context.finding.code == _BLOCK_STARTS
        known = {count: found for count, found in loads.items() if found is not None}
        shared = {count: found for count, found in known.items() if is_any or found.all_rows < count * found.single_row}
        if not shared:
            return context.decline(self.technique, _NO_SHARED_LOADS if counts else _TOO_FEW_BLOCKS)
        made: list[Rewrite] = []
        for count, found in shared.items():
            rewrite = _rewrite(context, result, count, found)
            if isinstance(rewrite, Obstacle):
                return context.decline(self.technique, rewrite)
            made.append(rewrite)
        return tuple(made)


def _is_busy(context: TransformationContext, count: int) -> bool:
    blocks = max((launch.grid.count for launch in context.launches), default=count * BUSY_BLOCKS)
    return blocks // count >= BUSY_BLOCKS


def _rewrite(context: TransformationContext, result: PlaneResult, count: int, loads: RowLoads) -> Rewrite | Obstacle:
    grid = coarser_grid(context, {"y": count})
    if isinstance(grid, Obstacle):
        return grid
    edits, in_others = by_file(context, (*plane_rows_edits(context, result, count), *grid))
    elsewhere = launch_elsewhere(context, f"a grid with one block for {count * result.block.y} rows")
    return Rewrite(
        technique=RowsPerThread.technique,
        kernel=context.kernel.key,
        line=context.tree.line(result.store),
        edits=edits,
        summary=f"Compute {count} rows in each thread, {_gain(loads, count)}" + ("; change your launch accordingly." if elsewhere else "."),
        labels=launch_labels(context, elsewhere),
        predictions=_predictions(context, count),
        assumptions=elsewhere,
        in_others=in_others,
        numbers=(("rows_per_thread", count),),
    )


def _gain(loads: RowLoads, count: int) -> str:
    if loads.all_rows < count * loads.single_row:
        return f"which needs {loads.all_rows} loads for them instead of {count * loads.single_row}"
    return f"with {_PARTS[count]} of the blocks"


def _predictions(context: TransformationContext, count: int) -> tuple[MetricPrediction, ...]:
    after = {"own_row_loads_ratio": 1.0} if count == _ROWS[0] else {}
    blocks = {e.metric: float(math.ceil(e.value / count)) for e in context.evidence if e.metric == "block_count"}
    return predicted_values(context, after | blocks)
