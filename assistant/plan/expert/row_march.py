"""Let each thread of a stencil compute several rows, and keep in registers what the next row loads again.

A thread walks down its column: of the elements above, here and below only the last is loaded anew. The grid has fewer blocks along y.

Example::

    if (row >= 1 && row < h - 1) out[row * w + col] = in[(row - 1) * w + col] + in[row * w + col] + in[(row + 1) * w + col];
    // becomes
    float above = in[(row - 1) * w + col];
    float here = in[row * w + col];
    for (; row < end_row; ++row) {
        const float below = in[(row + 1) * w + col];
        out[row * w + col] = above + here + below;
        above = here;
        here = below;
    }
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, array_accesses
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap
from assistant.plan.expert.analysis.predictions import predicted_sectors, predicted_values
from assistant.plan.expert.analysis.row_march import MarchedRows, marched_rows
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import guessed_launch, launch_elsewhere
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.row_march_text import row_march_edits
from assistant.workload.aliasing import ApartAsRecorded
from assistant.workload.recorded_words import apart_assumption

__all__ = ["RowMarch"]

_ROWS = (4, 8)
"""Rows of a thread. Our own choice: of a chain of three loads, 6 and 10 in place of 12 and 24."""
_LEAST_BLOCKS = 264
"""Blocks that must be left: two for each of the 132 multiprocessors of an H100 (NVIDIA H100 data sheet)."""


class RowMarch:
    """A row a thread → several, with the elements of a column in registers."""

    technique = "row-march"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
        rows = obstacle or marched_rows(context)
        if isinstance(rows, Obstacle):
            return context.decline(self.technique, rows)
        apart = _apart(context, rows)
        if isinstance(apart, Obstacle):
            return context.decline(self.technique, apart)
        counts = [count for count in _ROWS if _blocks(context) is None or (_blocks(context) or 0) // count >= _LEAST_BLOCKS]
        if not counts:
            few = "the grid would have fewer than two blocks for each multiprocessor of a large GPU if a thread had four rows"
            return context.decline(self.technique, Obstacle(DeclineReason.NO_GAIN, few))
        made: list[Rewrite] = []
        for count in counts:
            grid = coarser_grid(context, {"y": count})
            if isinstance(grid, Obstacle):
                return context.decline(self.technique, grid)
            edits, in_others = by_file(context, (*row_march_edits(context, rows, count), *grid))
            elsewhere = launch_elsewhere(context, f"a grid whose threads have {count} rows each")
            made.append(
                Rewrite(
                    technique=self.technique,
                    kernel=context.kernel.key,
                    line=context.tree.line(rows.statements[0]),
                    edits=edits,
                    summary=f"Compute {count} rows in each thread, and keep in registers what the next row loads again.",
                    labels=((Label.ASSUMPTION,) if elsewhere or apart else ()) + (() if elsewhere else (Label.HOST_CODE,)),
                    predictions=_predictions(context, rows, count),
                    assumptions=(*elsewhere, *apart),
                    in_others=in_others,
                )
            )
        return tuple(made)


def _predictions(context: TransformationContext, rows: MarchedRows, count: int) -> tuple[MetricPrediction, ...]:
    """A chain of n loads becomes one for each row and n - 1 for the thread's first."""
    tree = context.tree
    loads = {tree.text(a.node) for node in rows.statements for a in array_accesses(tree, node) if a.kind is Use.READ}
    kept = sum(sum(bool(uses) for uses in chain.uses) - 1 - (len(chain.uses) - 1) / count for chain in rows.chains)
    ratio = 1 - kept / max(1, len(loads))
    reuse = {e.metric: e.value * ratio for e in context.evidence if e.metric == "load_reuse_in_block"}
    return (*predicted_sectors(context, ratio), *predicted_values(context, reuse))


def _blocks(context: TransformationContext) -> int | None:
    return context.launches[0].grid.count if context.launches else None


def _apart(context: TransformationContext, rows: MarchedRows) -> tuple[str, ...] | Obstacle:
    """What only recorded launches show of the pointers; why not where one that is loaded ahead may be the one stored to."""
    tree, function = context.tree, rows.function
    read = {chain.base for chain in rows.chains}
    written = {p for node in rows.statements for p in global_pointers(tree, function, node)} - read
    found = [may_overlap(tree, function, store, load, context.recorded) for store in sorted(written) for load in sorted(read)]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    pairs = [(each.first, each.second) for each in found if isinstance(each, ApartAsRecorded)]
    if obstacle is not None:
        return obstacle
    return (apart_assumption(context.recorded, *pairs),) if context.recorded is not None and pairs else ()
