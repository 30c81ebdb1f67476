"""Launch more blocks of a kernel that shares its work among however many there are.

Answers KO111. Few blocks leave multiprocessors without work, and those that have some with too few loads under way. The kernel asks how
many blocks there are (``gridDim``, or the number's name), so that each does less where there are more; sums come together in another
order. How many are best, tuning finds out; that the rest of the program takes them, too, the judge says.

Example::

    #define BLOCKS 128      ->   #define BLOCKS 1024
"""

from __future__ import annotations

from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.counted_blocks import CountedBlocks, counted_blocks
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.large_gpu import FULL_THREADS
from assistant.plan.expert.analysis.useful_blocks import useful_blocks
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["MoreBlocks"]

_FACTORS = (8, 4, 16, 2, 32, 64)
"""Most promising first."""


class MoreBlocks:
    """``k<<<64, 256>>>`` → ``k<<<512, 256>>>``, and other numbers."""

    technique = "more-blocks"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = counted_blocks(context)
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        counts = [factor * found.blocks for factor in _FACTORS if factor * found.blocks * found.threads <= FULL_THREADS]
        useful = useful_blocks(context, found.name, found.blocks)
        if useful is not None and useful <= found.blocks:
            words = f"the kernel was seen with work for {useful} blocks at most, and is launched with {found.blocks}"
            return context.decline(self.technique, Obstacle(DeclineReason.NO_GAIN, words))
        if useful is not None and useful * found.threads <= FULL_THREADS:
            counts = [useful, *(count for count in counts if count < useful)]
        if not counts:
            words = f"{found.blocks} blocks of {found.threads} threads are more than half of what a large GPU holds at once"
            return context.decline(self.technique, Obstacle(DeclineReason.LIMIT_EXCEEDED, words))
        return tuple(self._launching(context, found, count) for count in counts)

    def _launching(self, context: TransformationContext, found: CountedBlocks, count: int) -> Rewrite:
        edits, in_others = by_file(context, (TextEdit(literal, str(count)) for literal in found.literals))
        what = f"Set {found.name}, the number of blocks," if found.name else "Set the number of blocks"
        return Rewrite(
            technique=self.technique,
            kernel=context.kernel.key,
            line=context.line,
            edits=edits,
            summary=f"{what} to {count} instead of {found.blocks}.",
            labels=(Label.REASSOCIATION,),
            predictions=context.predict("block_count", float(count)),
            in_others=in_others,
            numbers=((found.name or "blocks", count),),
        )
