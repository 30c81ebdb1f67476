"""A launch with fewer blocks than its own: a loop over the grid takes them up, one element a thread leaves the rest out.

Example::

    [case.origin.values for case in with_smaller_grids(case)]     # ["a grid of 80 instead of 160 blocks", "a grid of 53 …"]
"""

from __future__ import annotations

from dataclasses import replace

from assistant.workload.recordings import NewCase

__all__ = ["SMALLER_GRID", "with_blocks", "with_smaller_grids"]

SMALLER_GRID = "smaller_grid"
"""The kind of these cases."""


def with_smaller_grids(case: NewCase) -> tuple[NewCase, ...]:
    """``case`` with half of the blocks along x, and with an odd number of about a third; none for one block and for a cooperative launch.

    Only launches of one kernel: of several, each would need a grid of its own.
    """
    launch, *others = case.recording.launches
    blocks = launch.config.grid.x
    if others or launch.is_cooperative or launch.cluster is not None or launch.chosen_blocks:
        return ()
    counts = dict.fromkeys(count for count in (blocks // 2, blocks // 3 | 1) if 0 < count < blocks)
    return tuple(with_blocks(case, count) for count in counts)


def with_blocks(case: NewCase, count: int) -> NewCase:
    """``case`` (of one launch) with ``count`` blocks along x."""
    (launch,) = case.recording.launches
    grid = launch.config.grid
    words = f"a grid of {count} instead of {grid.x} blocks" if grid.y == grid.z == 1 else f"{count} instead of {grid.x} blocks along x"
    launches = (replace(launch, config=replace(launch.config, grid=replace(grid, x=count))),)
    origin = replace(case.origin, kind=SMALLER_GRID, weight=0.0, values=words)
    return replace(case, recording=replace(case.recording, launches=launches), origin=origin)
