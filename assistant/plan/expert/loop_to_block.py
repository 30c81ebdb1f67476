"""Let all threads of a block run a loop that its first thread runs alone, while the others wait at the next barrier.

Each thread takes the iterations from its own index on, a block's threads apart, so that neighbours read side by side.

Example::

    if (threadIdx.x == 0)
        for (int k = 0; k < 256; k++) bins[k] = 0;
    // becomes
    for (int k = threadIdx.x; k < 256; k += blockDim.x) bins[k] = 0;
"""

from __future__ import annotations

from assistant.model.plan import Decline, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.first_thread_loops import FirstThreadLoops, first_thread_loops
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.dealt_to_block import dealt_edits
from assistant.workload.recorded_words import apart_assumption

__all__ = ["LoopToBlock"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""


class LoopToBlock:
    """The first thread's loop → a loop of the block."""

    technique = "loop-to-block"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        work = first_thread_loops(context)
        return context.decline(self.technique, work) if isinstance(work, Obstacle) else (_rewrite(context, work),)


def _rewrite(context: TransformationContext, work: FirstThreadLoops) -> Rewrite:
    apart = [(pair.first, pair.second) for pair in work.apart]
    assumptions = work.block.assumptions
    if apart and context.recorded is not None:
        assumptions = (*assumptions, apart_assumption(context.recorded, *apart))
    which = "the loop" if len(work.loops) == 1 else "the loops"
    return Rewrite(
        technique=LoopToBlock.technique,
        kernel=context.kernel.key,
        line=context.tree.line(work.branch),
        edits=tuple(sorted(dealt_edits(context, work))),
        summary=f"Let all threads of the block share {which} that its first thread runs alone.",
        labels=(Label.ASSUMPTION,) if assumptions else (),
        predictions=predicted_values(context, _lanes_after(context, work)),
        assumptions=assumptions,
    )


def _lanes_after(context: TransformationContext, work: FirstThreadLoops) -> dict[str, float]:
    """Mean active lanes of the launch once full warps run the loops; nothing where executions were not counted."""
    executions = context.profiles[0].executions if context.profiles else ()
    loops = [range(context.tree.line(loops.node), loops.node.end_point[0] + 2) for loops in work.loops]
    threads = sum(run.thread_executions for run in executions)
    warps = sum(run.thread_executions / _LANES if any(run.line in lines for lines in loops) else run.warp_executions for run in executions)
    return {"active_lanes_per_execution": threads / warps} if warps else {}
