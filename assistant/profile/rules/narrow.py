"""KO118 narrow accesses: a kernel that streams through memory by few bytes a thread and access."""

from __future__ import annotations

import math
from dataclasses import replace

from assistant.model.profile import LaunchProfile, LineAccess, LineInstructions, Severity
from assistant.profile.context import CountedLaunch, FindContext, accesses
from assistant.profile.diagnosis import Diagnosis, FixedLaunch, fact_of, with_mix
from assistant.profile.rules.reshaped import with_blocks
from assistant.profile.thresholds import threshold
from assistant.profile.wording import plural

__all__ = ["narrow_accesses"]

_WIDEST_BYTES = 16
"""CUDA C++ Programming Guide, "Device Memory Accesses": a global access is of 1, 2, 4, 8 or 16 bytes."""
_DENSE_RATIO = 1.2
"""Sectors over ideal ones up to which requests are side by side: a start in the middle of a sector costs a fifth more."""


def narrow_accesses(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO118: accesses are side by side, of less than 16 bytes, of elements used once; fewer threads would still fill the GPU."""
    profile = launch.profile
    moved = accesses(profile, "global load", "global store")
    others = [a for a in profile.accesses if a.op not in ("global load", "global store") and a.requests > 0]
    if not moved or others or not all(_is_streamed(a) for a in moved) or _is_reused(profile):
        return ()
    factor = _WIDEST_BYTES // max(a.size_bytes for a in moved)
    loops = any(context.facts.innermost_loop(a.line) is not None for a in moved if context.facts.is_of(a.file))
    if factor < 2 or _waves(context, launch) / (1 if loops else factor) < threshold("narrow_waves"):
        return ()
    top = max(moved, key=lambda a: (a.op == "global load", a.requests))
    return (
        Diagnosis(
            "KO118",
            top.line,
            f"Each thread moves {plural(top.size_bytes, 'byte')} with an access of this line, neighbours side by side; one of 16 bytes "
            f"moves {factor} elements with a {_part(factor)} of the requests, and more bytes are under way",
            (fact_of(top, profile, "global_access_bytes", float(top.size_bytes)),),
            FixedLaunch(_widened(profile, factor, is_looping=loops), launch.occupancy),
            Severity.INFORMATION,
        ),
    )


def _is_streamed(access: LineAccess) -> bool:
    return access.size_bytes < _WIDEST_BYTES and (access.sectors or 0) <= _DENSE_RATIO * (access.ideal_sectors or 0)


def _is_reused(profile: LaunchProfile) -> bool:
    loaded = sum(a.ideal_sectors or 0 for a in accesses(profile, "global load"))
    return bool(profile.block_unique_sectors) and loaded > threshold("narrow_reuse") * profile.block_unique_sectors


def _waves(context: FindContext, launch: CountedLaunch) -> float:
    held = 1 if launch.occupancy is None else max(1, launch.occupancy.blocks_per_sm)
    return launch.profile.config.grid.count / (held * context.target.sm_count)


def _part(factor: int) -> str:
    return {2: "half", 4: "quarter"}.get(factor, f"{factor}th")


def _widened(profile: LaunchProfile, factor: int, *, is_looping: bool) -> LaunchProfile:
    """The same sectors by fewer requests, addresses and comparisons; of a kernel without a loop by fewer threads."""
    fewer = replace(
        profile,
        accesses=tuple(replace(a, requests=math.ceil(a.requests / factor)) for a in profile.accesses),
        instructions=tuple(_fewer(line, factor) for line in profile.instructions),
    )
    return fewer if is_looping else with_blocks(fewer, math.ceil(profile.config.grid.count / factor))


def _fewer(line: LineInstructions, factor: int) -> LineInstructions:
    return with_mix(
        line,
        lambda mix: replace(
            mix,
            integer=math.ceil(mix.integer / factor),
            load_store=math.ceil(mix.load_store / factor),
            control=math.ceil(mix.control / factor),
        ),
    )
