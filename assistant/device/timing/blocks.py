"""Blocks of paired slots until A against A is known well enough or the time is up. Never looks at who is faster. No GPU.

Example::

    taken = take_blocks(slot, options, clock=time.monotonic, is_held_down=lambda: False)
    taken.stop          # "width"
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from assistant.measure.paired import aa_half_width_of
from assistant.model.timing import Block, TimingOptions

__all__ = ["Taken", "take_blocks"]

_ORDERS = ("ABBA", "BAAB")
_ROUND_BLOCK_COUNT = 10
"""Blocks between two looks at the width."""
_MOST_BLOCK_COUNT = 400
"""By then a median does not get better for another one; bounds memory and messages."""
_MOST_DROPPED_COUNT = 40
"""A device that holds its clocks down for longer does so always: its blocks count from then on."""

Slot = Callable[[str], float | None]
"""Seconds a call of version ``A`` or ``B``; None where the slot must be taken again."""


@dataclass(frozen=True)
class Taken:
    """The blocks, and why there are no more of them."""

    blocks: tuple[Block, ...]
    stop: str
    dropped_count: int


def take_blocks(slot: Slot, options: TimingOptions, clock: Callable[[], float], is_held_down: Callable[[], bool]) -> Taken:
    """``options.least_block_count`` blocks and more, fewer only where the time is up before; ``is_held_down`` is asked after each round.

    No block at all comes back where the queue behind the gate could never be filled in time.
    """
    rng = random.Random(options.seed)  # noqa: S311 an order, no secret
    end_s = clock() + options.wall_s
    blocks: list[Block] = []
    dropped_count = 0
    while True:
        taken: list[Block] = []
        for _ in range(max(_ROUND_BLOCK_COUNT, options.least_block_count - len(blocks))):
            block = _block(slot, rng.choice(_ORDERS))
            taken += [] if block is None else [block]
            dropped_count += block is None
            if clock() > end_s:
                break
        if is_held_down() and dropped_count < _MOST_DROPPED_COUNT:
            dropped_count += len(taken)
        else:
            blocks += taken
        if clock() > end_s or len(blocks) >= _MOST_BLOCK_COUNT:
            return Taken(tuple(blocks), "time", dropped_count)
        if len(blocks) >= options.least_block_count and aa_half_width_of(blocks, options.seed) <= options.half_width_ratio:
            return Taken(tuple(blocks), "width", dropped_count)


def _block(slot: Slot, order: str) -> Block | None:
    times = tuple(time_s for letter in order if (time_s := slot(letter)) is not None)
    return Block(order, times) if len(times) == len(order) else None
