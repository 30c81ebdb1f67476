"""KO122: a loop through memory that the first thread of a block runs alone."""

from __future__ import annotations

from dataclasses import replace

from assistant.model.profile import Grade, LaunchProfile, LineAccess, LineInstructions
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch
from assistant.profile.facts import LoopFacts
from assistant.profile.rules.execution import in_full_warps
from assistant.profile.rules.reuse import scaled_access
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number

__all__ = ["first_threads_loops"]

_WARP_LANES = 32


def first_threads_loops(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO122: a block's first thread goes through memory while the other threads wait. Waiting itself is not in the model."""
    profile, threads = launch.profile, launch.profile.config.block.count
    found: list[Diagnosis] = []
    end_line = 0
    for loop in context.facts.loops if threads > _WARP_LANES else ():
        moved = _moved_bytes(context, loop, profile)
        if not loop.is_first_threads or moved <= threshold("alone_bytes") or loop.line <= end_line:
            continue
        end_line = loop.end_line
        found.append(
            Diagnosis(
                "KO122",
                loop.line,
                f"One thread goes through {number(moved)} bytes of memory in this loop, for the {threads} threads of its block",
                (Fact("alone_bytes", moved, loop.line, profile.method, Grade.ESTIMATED), *_lanes(profile)),
                _with_all_threads(context, launch, loop) if profile.instructions else None,
            )
        )
    return tuple(found)


def _lanes(profile: LaunchProfile) -> tuple[Fact, ...]:
    lanes = profile.mean_active_lanes
    return () if lanes is None else (Fact("active_lanes_per_execution", lanes, None, profile.method, Grade.ESTIMATED),)


def _moved_bytes(context: FindContext, loop: LoopFacts, profile: LaunchProfile) -> float:
    """What a block's thread moves through the busiest access in the loop; the compiler makes wide accesses of several elements."""
    inside = (a for a in profile.accesses if _is_in(context, loop, a))
    return max((a.requests * a.size_bytes for a in inside), default=0) / profile.config.grid.count


def _is_in(context: FindContext, loop: LoopFacts, counted: LineAccess | LineInstructions) -> bool:
    return context.facts.is_of(counted.file) and loop.line <= counted.line <= loop.end_line


def _with_all_threads(context: FindContext, launch: CountedLaunch, loop: LoopFacts) -> FixedLaunch:
    """The same thread-level work of the loop in full warps, whose lanes touch neighbouring elements."""
    profile = launch.profile
    instructions = (replace(i, warp_mix=in_full_warps(i.mix)) if _is_in(context, loop, i) else i for i in profile.instructions)
    accesses = (_of_warps(a) if _is_in(context, loop, a) else a for a in profile.accesses)
    return FixedLaunch(replace(profile, instructions=tuple(instructions), accesses=tuple(accesses)), launch.occupancy)


def _of_warps(access: LineAccess) -> LineAccess:
    """A request for 32 elements in the place of 32 requests."""
    return replace(scaled_access(access, 1 / _WARP_LANES), active_threads=access.active_threads)
