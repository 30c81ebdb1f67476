"""KO124 and KO125: passes over an array, and diagonals of a table, that each go through global memory, launched one by one from a loop."""

from __future__ import annotations

from dataclasses import replace

from assistant.profile.context import CountedLaunch, FindContext, accesses
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch, fact_of
from assistant.profile.rules.reuse import scaled_access
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number

__all__ = ["separate_diagonals", "separate_passes"]

_LEFT = 0.5
"""Of the passes' accesses (chosen): a sort of a million elements with blocks of 512 of them has 144 of its 210 passes within a block."""

_TILE = 32
"""Rows and columns of a tile: a warp's lanes."""
_STEP_S = 5e-8
"""For each diagonal of a tile (chosen): a load from shared memory, some arithmetic and a barrier, 90 cycles of an H200 at 1.8 GHz."""


def separate_passes(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO124: a loop doubles or halves what it launches the kernel with, always for the same grid, and the kernel has no tile."""
    profile, line = launch.profile, context.facts.passes_line
    count = sum(each.weight for each in context.launches)
    moved = accesses(profile, "global load", "global store")
    is_one_shape = all(each.profile.config.grid == profile.config.grid for each in context.launches)
    others = [access for access in profile.accesses if not access.op.startswith("global") and access.requests > 0]
    stores = [access for access in moved if access.op == "global store"]
    if not line or count < threshold("pass_launches") or not is_one_shape or others or not stores or len(stores) == len(moved):
        return ()
    sectors = float(sum(access.sectors or 0 for access in moved))
    fixed = replace(profile, accesses=tuple(scaled_access(a, _LEFT) if a in moved else a for a in profile.accesses))
    return (
        Diagnosis(
            "KO124",
            line,
            f"{number(count)} launches from a loop that doubles or halves what it passes: each goes through global memory anew "
            f"({number(sectors)} sectors), also where the elements that meet lie within one block",
            (fact_of(max(moved, key=lambda access: access.requests), profile, "global_sectors", sectors),),
            FixedLaunch(fixed, launch.occupancy),
        ),
    )


def separate_diagonals(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO125: a loop counts the diagonals of a table, and the kernel, which has no tile, finds a diagonal's cells from that number."""
    profile, line = launch.profile, context.facts.diagonals_line
    count = sum(each.weight for each in context.launches)
    moved = accesses(profile, "global load", "global store")
    others = [access for access in profile.accesses if access.op.startswith("shared") and access.requests > 0]
    stores = [access for access in moved if access.op == "global store"]
    if not line or count < threshold("diagonal_launches") or others or not stores or len(stores) == len(moved):
        return ()
    time_s = context.time_s(launch)
    if time_s > threshold("short_launch"):
        return ()
    left = (time_s + (2 * _TILE - 1) * _STEP_S) / _TILE
    return (
        Diagnosis(
            "KO125",
            line,
            f"{number(count)} launches that wait for each other, one for each diagonal of a table: one for each diagonal of tiles of "
            f"{_TILE} x {_TILE} cells, with a barrier where a launch is now, would be {number(_tile_diagonals(context, count))}",
            (Fact("launch_count", count, line, profile.method),),
            saving_ratio=1 - left / time_s,
        ),
    )


def _tile_diagonals(context: FindContext, count: float) -> int:
    """Of a table that ``count`` diagonals make, of which the longest that was seen has as many cells as the table's shorter side."""
    lengths = (access.active_threads for each in context.launches for access in accesses(each.profile, "global store"))
    sides = int(count) + 1
    shorter = max(1, min(sides // 2, max(lengths, default=1)))
    return -(-shorter // _TILE) - (-(sides - shorter) // _TILE) - 1
