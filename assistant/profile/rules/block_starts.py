"""KO127: a grid of so many blocks of so little work that starting them takes longer than anything that they do."""

from __future__ import annotations

from assistant.model.comparison import LAUNCH_TERM
from assistant.model.profile import Method
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.diagnosis import Diagnosis, Fact
from assistant.profile.quantity import format_quantity
from assistant.profile.rules.places import launch_line
from assistant.profile.rules.reshaped import in_blocks_of
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number

__all__ = ["long_block_starts"]

_BLOCKS_TERM = "blocks"
"""Of the performance model: starting the blocks."""
_SIZES = (64, 128, 256, 512)
"""Threads a block to try. A block of 512 threads starts as fast as one of 32; one of 1,024 takes longer (`BLOCK_START_S`)."""


def long_block_starts(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO127: blocks are handed out one after the other, which limits the launch; larger ones would be fewer, and clearly faster."""
    profile = launch.profile
    threads, blocks = profile.config.block.count, profile.config.grid.count
    predicted = context.predict(profile, context.resources, launch.occupancy, context.target)
    times = {term.name: term.time_s for term in predicted.terms if term.name != LAUNCH_TERM}
    start_s = times.pop(_BLOCKS_TERM, 0.0)
    larger = tuple(in_blocks_of(size, profile, launch.occupancy, context.resources) for size in _SIZES if size > threads)
    is_little = start_s < threshold("block_starts") and threads >= threshold("small_block_threads")
    if not larger or is_little or start_s <= max(times.values(), default=0.0):
        return ()
    timed = [(context.predict(fixed.profile, context.resources, fixed.occupancy, context.target).time_s, fixed) for fixed in larger]
    best_s, best = min(timed, key=lambda pair: pair[0])
    if predicted.time_s < threshold("narrow_gain") * best_s:
        return ()
    return (
        Diagnosis(
            "KO127",
            launch_line(context, profile),
            f"Starting {number(blocks)} blocks of {number(threads)} threads takes {format_quantity(start_s, 's')}, "
            "longer than anything that they do: the GPU hands blocks out one after the other",
            (
                Fact("block_count", float(blocks), None, Method.STATIC),
                Fact("block_threads", float(threads), None, Method.STATIC),
            ),
            best,
        ),
    )
