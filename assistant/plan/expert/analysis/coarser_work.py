"""How many elements a thread may take without leaving the GPU idle.

Example::

    elements_a_thread(context, 1056)    # 32, where the largest launch that was seen has 65,536 blocks
"""

from __future__ import annotations

from assistant.plan.expert.transformation import TransformationContext

__all__ = ["elements_a_thread"]

_MOST_ELEMENTS = 32
"""Beyond, what a block does once is little next to what its threads do."""


def elements_a_thread(context: TransformationContext, least_blocks: int) -> int:
    """A power of two that leaves ``least_blocks`` of the largest launch that was seen; 1 where none was."""
    blocks = max((launch.grid.count for launch in context.launches), default=1)
    count = 1
    while count < _MOST_ELEMENTS and blocks // (2 * count) >= least_blocks:
        count *= 2
    return count
