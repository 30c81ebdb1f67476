"""How often the emulated program went round a source loop, by its blocks with lines of the loop and of no loop inside it.

Example::

    iterations_of(emulated, function, source, context_count=1)   # [(262144, 8192)]: threads and warps
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.build.loop_map import contains, holds
from assistant.build.machine import Function
from assistant.build.matching import EmulatedBlocks
from assistant.model.profile import BlockExecution
from assistant.model.source import SourceLoop

__all__ = ["iterations_of"]

Counts = tuple[int, int]
_Place = tuple[str, int]


def iterations_of(emulated: EmulatedBlocks, function: Function, source: SourceLoop, context_count: int) -> list[Counts]:
    """Threads and warps, for each place that the loop is inlined at; (0, 0) where they cannot be distinguished."""
    inner = [other for other in function.loops.loops if contains(source, other)]
    outside = [block for block in emulated.blocks if not any(holds(other, *place) for place in block.places for other in inner)]
    shares = [(block, sum(holds(source, *place) for place in block.places)) for block in outside]
    if context_count > 1:
        mostly = [(block.threads, block.warps) for block, share in shares if 2 * share >= len(block.places) > 0]
        return mostly if len(mostly) == context_count else [(0, 0)] * context_count
    own = [block for block in emulated.blocks if any(_is_own(source, inner, place) for place in block.places)]
    alone = [block for block in own if block in outside]
    testing = [block for block in own if (source.file, source.condition_line) in block.places]
    ran = (found for found in (alone, testing, own) if any(block.threads for block in found))
    busiest = _busiest(next(ran, [block for block, share in shares if share]))
    return [busiest if busiest[0] else function.loops.iteration_count(source) or (0, 0)]


def _busiest(blocks: Sequence[BlockExecution]) -> Counts:
    return max(((block.threads, block.warps) for block in blocks), default=(0, 0))


def _is_own(source: SourceLoop, inner: Sequence[SourceLoop], place: _Place) -> bool:
    """Not a line of loops inside, nor of the condition, which the code before the loop may share."""
    return holds(source, *place) and place[1] != source.condition_line and not any(holds(other, *place) for other in inner)
