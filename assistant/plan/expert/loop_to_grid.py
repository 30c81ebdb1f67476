"""Deal the iterations of a thread's outer loop to more blocks, along an axis of the grid that is free.

Each block strides over the iterations, so that any number of blocks gives the same result. What the kernel stores before and after the
loop, the first of them store.

Example::

    for (int b = 0; b < n; b++) { … out[b * n + a] = sum; }
    // becomes, with 64 blocks along y
    for (int b = blockIdx.y; b < n; b += gridDim.y) { … out[b * n + a] = sum; }
"""

from __future__ import annotations

from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.model.plan import Decline, MetricPrediction, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.independent_loop import IndependentLoop
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.large_gpu import FULL_THREADS
from assistant.plan.expert.analysis.outer_loop import outer_loop, stores_outside
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.scaled_grids import deeper_grid, free_axis
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.dealt_loop import dealt_loop
from assistant.workload.recorded_words import apart_assumption

__all__ = ["LoopToGrid"]

_MOST = 1024
"""Blocks along the new axis. Our own limit: each has to be started, whether it finds an iteration or not."""
_UNKNOWN_TRIPS = 64
"""Blocks along the new axis where nothing shows how often the loop runs. Our own guess."""


class LoopToGrid:
    """A loop of each thread → an axis of the grid."""

    technique = "loop-to-grid"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = outer_loop(context)
        axis = free_axis(context)
        if isinstance(found, Obstacle) or isinstance(axis, Obstacle):
            obstacle = found if isinstance(found, Obstacle) else axis
            assert isinstance(obstacle, Obstacle), "one of them is"
            return context.decline(self.technique, obstacle)
        function, loop = found
        others = stores_outside(context, function, loop)
        if isinstance(others, Obstacle):
            return context.decline(self.technique, others)
        count = _count(context, loop)
        grid = deeper_grid(context, axis, count)
        if isinstance(grid, Obstacle):
            return context.decline(self.technique, grid)
        edits, in_others = by_file(context, (*dealt_loop(context, loop.node, axis), *_once(context, others, axis), *grid))
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.tree.line(loop.node),
                edits=edits,
                summary=f"Deal the iterations of the loop over `{loop.header.variable}` to {count} blocks along {axis}.",
                labels=(Label.HOST_CODE, *((Label.ASSUMPTION,) if loop.apart else ())),
                predictions=_predictions(context, count),
                assumptions=_assumptions(context, loop),
                in_others=in_others,
            ),
        )


def _count(context: TransformationContext, loop: IndependentLoop) -> int:
    """Blocks along the new axis: as many as fill the GPU, a power of two, no more than there are iterations."""
    launch = context.launches[0] if context.launches else None
    wanted = _MOST if launch is None else min(_MOST, -(-FULL_THREADS // (launch.grid.count * launch.block.count)))
    trips = _trips(context, loop)
    limit = _UNKNOWN_TRIPS if trips is None else max(2, trips)
    return max(2, 1 << (min(wanted, limit).bit_length() - 1))


def _trips(context: TransformationContext, loop: IndependentLoop) -> int | None:
    """How often the longest recorded launch goes round the loop; None where nothing shows it."""
    scalars = {} if context.recorded is None else {s.name: int(s.highest) for s in context.recorded.scalars}
    return evaluate(loop.header.bound_node, scope_of(context.tree, context.kernel), scalars)


def _once(context: TransformationContext, statements: tuple[Node, ...], axis: str) -> tuple[TextEdit, ...]:
    """Only the first block along the axis runs them."""
    starts = (context.tree.span(statement).start for statement in dict.fromkeys(statements))
    return tuple(TextEdit(Span(start, start), f"if (blockIdx.{axis} == 0) ") for start in starts)


def _predictions(context: TransformationContext, count: int) -> tuple[MetricPrediction, ...]:
    blocks = next((e.value for e in context.evidence if e.metric == "block_count"), None)
    return () if blocks is None else predicted_values(context, {"block_count": blocks * count})


def _assumptions(context: TransformationContext, loop: IndependentLoop) -> tuple[str, ...]:
    pairs = [(pair.first, pair.second) for pair in loop.apart]
    return (apart_assumption(context.recorded, *pairs),) if context.recorded is not None and pairs else ()
