"""Blocks of paired slots until A against A is known well enough or the time is up. Never looks at who is faster. No GPU.

Example::

    taken = take_blocks(slot, options, clock=time.monotonic, is_held_down=lambda: False)
    taken.stop          # "width"
"""

from __future__ import annotations

import random
from collections.abc import Callable

from assistant.measure.paired import aa_half_width_of
from assistant.model.timing import Block, TimingOptions
from assistant.record import Record

__all__ = ["TimedBlocks", "take_blocks"]

_ORDERS = ("ABBA", "BAAB")
_ROUND_BLOCK_COUNT = 10
"""Blocks between two looks at the width; fewer where fewer suffice."""
_MOST_BLOCK_COUNT = 400
"""By then a median does not get better for another one; bounds memory and messages."""
_MOST_HOT_COUNT = 40
"""A device that holds its clocks down for longer does so always: its blocks count from then on."""

Slot = Callable[[str], float | None]
"""Seconds a call of version ``A`` or ``B``; None where the slot must be taken again."""


class TimedBlocks(Record):
    """The blocks, and why there are no more of them."""

    blocks: tuple[Block, ...]
    """Empty where the queue behind the gate could never be filled in time."""
    stop: str
    late_count: int
    """Blocks that were dropped, as the host did not queue them in time."""
    hot_count: int
    """Blocks that were dropped, as the clocks were held down."""
    is_hot: bool
    """Some of ``blocks`` were taken while the clocks were held down: there was no time for others, or they always are."""


def take_blocks(slot: Slot, options: TimingOptions, clock: Callable[[], float], is_held_down: Callable[[], bool]) -> TimedBlocks:
    """``options.least_block_count`` blocks and more; ``options.fewest_block_count``, but for those that were dropped, where the time is up
    before. ``is_held_down`` is asked after each round."""
    rng = random.Random(options.seed)  # noqa: S311 an order, no secret
    end_s = clock() + options.wall_s
    blocks: list[Block] = []
    hot: list[Block] = []
    late_count, tried_count, is_hot = 0, 0, False

    def is_over() -> bool:
        return clock() > end_s and tried_count >= options.fewest_block_count

    while True:
        taken: list[Block] = []
        for _ in range(max(min(_ROUND_BLOCK_COUNT, options.least_block_count), options.least_block_count - len(blocks))):
            block = _block(slot, rng.choice(_ORDERS))
            taken += [] if block is None else [block]
            late_count += block is None
            tried_count += 1
            if is_over():
                break
        is_held = is_held_down()
        if is_held and len(hot) < _MOST_HOT_COUNT:
            hot += taken
        else:
            blocks += taken
            is_hot |= is_held and bool(taken)
        if is_over() or len(blocks) >= _MOST_BLOCK_COUNT:
            if not blocks:
                return TimedBlocks(tuple(hot), "time", late_count, 0, bool(hot))
            return TimedBlocks(tuple(blocks), "time", late_count, len(hot), is_hot)
        if len(blocks) >= options.least_block_count and aa_half_width_of(blocks, options.seed) <= options.half_width_ratio:
            return TimedBlocks(tuple(blocks), "width", late_count, len(hot), is_hot)


def _block(slot: Slot, order: str) -> Block | None:
    times = tuple(time_s for letter in order if (time_s := slot(letter)) is not None)
    return Block(order, times) if len(times) == len(order) else None
