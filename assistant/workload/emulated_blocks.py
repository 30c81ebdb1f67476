"""What the emulator runs of a launch where a GPU runs all of it: all blocks of a small one, some of a large one.

So that what the emulator takes does not grow with the launch. A launch as small as those that larger ones are shrunk to is its own
shrunken shape. Example::

    emulated_part(recording, (3,), is_own_size=True)     # the recording with `chosen_blocks`, or why the emulator runs none of it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.model.recording import RecordedLaunch, Recording
from assistant.workload.chosen_blocks import spread_blocks

__all__ = ["FEWEST_BLOCKS", "WHOLE_THREADS", "emulated_blocks", "emulated_part", "with_fewest_blocks"]

WHOLE_THREADS = 1 << 17
"""Launches of the program's own sizes run whole up to here."""
_MOST_THREADS = 1 << 20
"""Those at sizes of our own, which are chosen by the work that they are."""
_MOST_BLOCKS, _FEWEST_BLOCKS, _CHOSEN_THREADS = 64, 16, 1 << 14
"""So many blocks, if these have no more threads together; fewer, but for the fewest, where they do."""
FEWEST_BLOCKS = 4
"""Those at the ends of the grid and two others, where so many as usual take too long."""


def emulated_blocks(launch: RecordedLaunch, *, is_own_size: bool) -> tuple[int, ...]:
    """Linear numbers of the blocks that the emulator runs; empty where it runs all of them."""
    if launch.chosen_blocks or launch.config.thread_count <= (WHOLE_THREADS if is_own_size else _MOST_THREADS):
        return launch.chosen_blocks
    grid, block = launch.config.grid, launch.config.block
    return spread_blocks(grid, min(_MOST_BLOCKS, max(_FEWEST_BLOCKS, _CHOSEN_THREADS // block.count)))


def with_fewest_blocks(recording: Recording, launches: Sequence[int], count: int = FEWEST_BLOCKS) -> Recording | None:
    """With so few blocks of the launch, for one whose blocks take long; None where it runs no more of them."""
    chosen = [each for each in recording.launches if each.index in launches]
    if len(chosen) != 1 or chosen[0].is_cooperative or (len(chosen[0].chosen_blocks) or chosen[0].config.grid.count) <= count:
        return None
    fewest = replace(chosen[0], chosen_blocks=spread_blocks(chosen[0].config.grid, count))
    return replace(recording, launches=tuple(fewest if each.index == fewest.index else each for each in recording.launches))


def emulated_part(recording: Recording, launches: Sequence[int], *, is_own_size: bool) -> Recording | str:
    """``recording`` with the blocks of these launches chosen; why the emulator cannot run a part of them, where that is so."""
    wanted = set(launches)
    chosen = {each.index: emulated_blocks(each, is_own_size=is_own_size) for each in recording.launches if each.index in wanted}
    if not any(chosen.values()):
        return recording
    if len(launches) > 1:
        return "several launches in a row, of which one is too large for the emulator: each needs all that the one before it leaves"
    if any(each.is_cooperative for each in recording.launches if each.index in wanted):
        return "a cooperative launch that is too large for the emulator: all of its blocks wait for each other"
    made = (replace(each, chosen_blocks=chosen.get(each.index, each.chosen_blocks)) for each in recording.launches)
    return replace(recording, launches=tuple(made))
