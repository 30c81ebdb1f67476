"""Few threads that each walk a long row by themselves: scattered accesses and too few warps have one cause and one fix.

``y[row] += A[row * n + j] * x[j]`` with a thread per row: the warp's lanes are a row apart, and there are only as many threads as rows.
A warp per row reads side by side, and has 32 times the warps.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.model.profile import LaunchProfile, LineAccess
from assistant.profile.context import CountedLaunch, FindContext, accesses, warps_of
from assistant.profile.diagnosis import FixedLaunch
from assistant.profile.rules.reshaped import with_blocks
from assistant.profile.rules.reuse import scaled_access
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number
from assistant.record import Record

__all__ = ["RowWalk", "row_walk"]

_WARP_LANES = 32


class RowWalk(Record):
    """The load that walks."""

    line: int
    step_count: float
    """Requests of a warp."""
    is_even: bool
    """Whether every thread takes part in every request, and all warps make as many."""
    fixed: FixedLaunch
    """A warp for each thread, its lanes side by side."""

    @property
    def words(self) -> str:
        """``each thread walks a row by 96 loads``: a number of a thread's only where all threads do the same."""
        if self.is_even:
            return f"each thread walks a row by {number(self.step_count)} loads"
        return f"each thread walks a row, by {number(self.step_count)} load requests a warp"


def row_walk(context: FindContext, launch: CountedLaunch) -> RowWalk | None:
    """The costliest load by which the threads of a launch that leaves schedulers idle walk rows of their own; None without one.

    Walked are sectors that a warp's requests touch again and again, one element of each row at a time.
    """
    profile = launch.profile
    warps = warps_of(profile)
    if profile.unique_sectors is None or warps > threshold("scarce_warps") * context.target.sm_count:
        return None
    walking = [a for a in accesses(profile, "global load") if _is_walk(context, profile, a, warps)]
    if not walking:
        return None
    longest = max(walking, key=lambda a: a.sectors or 0)
    lines = {(a.file, a.line) for a in walking}
    spread = replace(profile, accesses=tuple(_by_warps(a, warps) if (a.file, a.line) in lines else a for a in profile.accesses))
    fixed = FixedLaunch(with_blocks(spread, profile.config.grid.count * _WARP_LANES), launch.occupancy)
    is_even = longest.active_threads == _WARP_LANES * longest.requests and longest.requests % warps == 0
    return RowWalk(longest.line, longest.requests / warps, is_even, fixed)


def _is_walk(context: FindContext, profile: LaunchProfile, access: LineAccess, warps: int) -> bool:
    loop = context.facts.innermost_loop(access.line) if context.facts.is_of(access.file) else None
    sectors, ideal = access.sectors or 0, access.ideal_sectors or 0
    return (
        loop is not None
        and not loop.has_barrier
        and access.requests >= _WARP_LANES * warps
        and sectors >= threshold("uncoalesced_ratio") * ideal
        and sectors >= threshold("uncoalesced_ratio") * (profile.unique_sectors or sectors)
    )


def _by_warps(access: LineAccess, warps: int) -> LineAccess:
    """Loads side by side; what each thread stored at every step stays in a register and is stored once."""
    if access.op == "global store":
        return scaled_access(access, min(1.0, warps / access.requests))
    tags = None if access.tags is None else min(access.tags, max(access.requests, (access.ideal_sectors or 0) // 4))
    return replace(access, sectors=access.ideal_sectors, tags=tags, passes=None)
