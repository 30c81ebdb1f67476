"""Let a thread of a stencil compute several rows, so that it loads once what neighbouring rows share, has more loads under way, and fewer
blocks have to start.

Threads of a launch run in no order. So one thread may do the work of several, all loads before the first store, whatever may overlap: that
is one of the orders that the kernel may have now.

Threads that go round loops over a window of rows (convolutions) keep the window in registers, and load each weight once for all rows.

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
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.plane_kernel import PlaneKernel, plane_kernel
from assistant.plan.expert.analysis.plane_result import PlaneResult, plane_result
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_window import RowWindow, row_window
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import guessed_launch, launch_elsewhere, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.thread_coarsening import ThreadCoarsening
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.plane_rows_text import plane_rows_edits
from assistant.plan.expert.writing.row_window_text import row_window_edits, window_count

__all__ = ["RowsPerThread"]

_ROWS = (4, 2)
"""Rows of a thread, most first: four rows of a stencil of three need six where four threads need twelve."""
_PARTS = {4: "a quarter", 2: "half"}
_BLOCK_STARTS = "KO127"
"""Fewer blocks are what it asks for, whatever their rows share."""
_OF_LOOPS = "KO108"
"""Loads that threads of a block repeat, which a kernel without a loop has too: there KO121 says what rows share."""
_NO_WINDOW = Obstacle(DeclineReason.LOOP_FORM, "its threads go round loops, none of which counts what is added to the row")
_LEAST_PLANES = 2
"""Channels that a thread of several would compute."""
_MOST_KEPT = 64
"""Elements of a window that a thread keeps in registers in addition to its sums: a quarter of the 255 that it may have. Our own limit."""
_NO_SHARED_LOADS = Obstacle(DeclineReason.NO_GAIN, "neighbouring rows load no element in common, as far as the indices show")
_TOO_FEW_BLOCKS = Obstacle(DeclineReason.NO_GAIN, "at this size threads of several rows would be too few to keep a large GPU busy")


class RowsPerThread:
    """One row a thread → four, or two."""

    technique = "rows-per-thread"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        result = plane_result(context)
        if result is None:
            return ()
        if isinstance(result, Obstacle) and result.code is DeclineReason.LOOP_FORM and "__shared__" not in context.tree.text(context.body):
            windows = _of_windows(context)
            return context.decline(self.technique, windows) if isinstance(windows, Obstacle) else windows
        if context.finding.code == _OF_LOOPS:
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


def _of_windows(context: TransformationContext) -> tuple[Rewrite, ...] | Obstacle:
    """Edits of a kernel whose threads go round loops over a window of rows."""
    window = row_window(context)
    if window is None:
        return () if context.finding.code == _OF_LOOPS else _NO_WINDOW
    obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
    if isinstance(window, Obstacle) or obstacle is not None:
        return window if isinstance(window, Obstacle) else obstacle or ()
    counts = [count for count in _ROWS if _is_busy(context, count)]
    if not counts:
        return _TOO_FEW_BLOCKS
    planes = plane_kernel(context)
    is_coarser = isinstance(planes, PlaneKernel) and not isinstance(ThreadCoarsening().rewrite(context), Decline)
    if isinstance(planes, PlaneKernel) and is_coarser and _is_busy(context, _LEAST_PLANES * counts[-1]):
        words = (
            f"let each thread compute several values of `{planes.index.name}` first (thread-coarsening), which then share the window, too"
        )
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, words)
    kept = [count for count in counts if window_count(window, count) <= _MOST_KEPT]
    if not kept:
        words = (
            f"two rows would need {window_count(window, _ROWS[-1])} elements of the window, more than {_MOST_KEPT} that registers can keep"
        )
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, words)
    grids = [coarser_grid(context, {"y": count}) for count in kept]
    blocked = next((grid for grid in grids if isinstance(grid, Obstacle)), None)
    return blocked or tuple(
        _window_rewrite(context, window, count, grid) for count, grid in zip(kept, grids, strict=True) if not isinstance(grid, Obstacle)
    )


def _window_rewrite(context: TransformationContext, window: RowWindow, count: int, grid: tuple[TextEdit, ...]) -> Rewrite:
    edits, in_others = by_file(context, (*row_window_edits(context, window, count), *grid))
    elsewhere = launch_elsewhere(context, f"a grid with one block for {count * window.block.y} rows")
    own, alone = window.loops[0].count + (count - 1) * window.stride, count * window.loops[0].count
    shared = " and each weight once for all of them" if window.weights else ""
    return Rewrite(
        technique=RowsPerThread.technique,
        kernel=context.kernel.key,
        line=context.tree.line(window.loops[0].node),
        edits=edits,
        summary=f"Compute {count} rows in each thread, which loads {own} rows of the window for them instead of {alone}{shared}"
        + ("; change your launch accordingly." if elsewhere else "."),
        labels=launch_labels(context, elsewhere),
        predictions=(),
        assumptions=elsewhere,
        in_others=in_others,
        numbers=(("rows_per_thread", count),),
    )


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
