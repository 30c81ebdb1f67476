"""KO118 narrow accesses: a kernel that streams through memory by few bytes a thread and access."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from assistant.model.profile import LaunchProfile, LineAccess, LineInstructions, Severity
from assistant.profile.context import CountedLaunch, FindContext, accesses, warps_of
from assistant.profile.diagnosis import Diagnosis, FixedLaunch, fact_of, with_mix
from assistant.profile.rules.reshaped import with_blocks
from assistant.profile.thresholds import threshold
from assistant.profile.wording import plural

__all__ = ["narrow_accesses"]

_WIDEST_BYTES = 16
"""CUDA C++ Programming Guide, "Device Memory Accesses": a global access is of 1, 2, 4, 8 or 16 bytes."""
_GLOBAL = ("global load", "global store")
_DENSE_RATIO = 1.2
"""Sectors over ideal ones up to which requests are side by side: a start in the middle of a sector costs a fifth more."""


def narrow_accesses(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO118: accesses are side by side, of less than 16 bytes, of elements used once; fewer threads would still fill the GPU, or gain.

    Of a kernel that does more, loops which deal such elements out to their threads: each of these has the work of several already.
    """
    moved = _moved(launch.profile)
    loops = any(context.facts.innermost_loop(a.line) is not None for a in moved if context.facts.is_of(a.file))
    if _is_stream(context, launch, moved, is_looping=loops):
        return (_diagnosis(launch, moved, _widened(launch.profile, _factor(moved), is_looping=loops)),)
    dealt = tuple(a for own in _dealt(context, moved) for a in own if _can_be_wider(launch.profile, own))
    if not dealt:
        return ()
    lines = frozenset((a.file, a.line) for a in dealt)
    return (_diagnosis(launch, dealt, _widened_on(launch.profile, _factor(dealt), lines)),)


def _is_stream(context: FindContext, launch: CountedLaunch, moved: tuple[LineAccess, ...], *, is_looping: bool) -> bool:
    """The whole kernel streams through memory, by threads enough or so that the model sees a gain all the same."""
    profile = launch.profile
    others = [a for a in profile.accesses if a.op not in _GLOBAL and a.requests > 0]
    if not moved or others or not all(_is_streamed(a) for a in moved) or _is_reused(profile, moved) or _factor(moved) < 2:
        return False
    if _waves(context, launch) / (1 if is_looping else _factor(moved)) >= threshold("narrow_waves"):
        return True
    return not is_looping and _gain(context, launch, _factor(moved)) >= threshold("narrow_gain")


def _gain(context: FindContext, launch: CountedLaunch, factor: int) -> float:
    """Predicted time of the launch over that of fewer threads with wide accesses."""
    fixed = replace(launch, profile=_widened(launch.profile, factor, is_looping=False))
    return context.time_s(launch) / context.time_s(fixed)


def _dealt(context: FindContext, moved: tuple[LineAccess, ...]) -> Iterator[tuple[LineAccess, ...]]:
    """The accesses of each innermost loop that deals elements out to its threads."""
    own = [a for a in moved if context.facts.is_of(a.file)]
    found = {a: context.facts.innermost_loop(a.line) for a in own}
    for loop in dict.fromkeys(loop for loop in found.values() if loop is not None and loop.is_dealt):
        yield tuple(a for a in own if found[a] == loop)


def _can_be_wider(profile: LaunchProfile, own: tuple[LineAccess, ...]) -> bool:
    """The loop streams, and most of its threads have enough elements for a whole vector."""
    rounds = max(a.requests for a in own) / max(1, warps_of(profile))
    is_long = rounds >= threshold("narrow_vectors") * _factor(own)
    return _factor(own) >= 2 and is_long and all(_is_streamed(a) for a in own) and not _is_reused(profile, own)


def _diagnosis(launch: CountedLaunch, moved: tuple[LineAccess, ...], fixed: LaunchProfile) -> Diagnosis:
    factor = _factor(moved)
    top = max(moved, key=lambda a: (a.op == "global load", a.requests))
    return Diagnosis(
        "KO118",
        top.line,
        f"Each access of this line moves {plural(top.size_bytes, 'byte')} a thread, where one of 16 would do with a {_part(factor)} of "
        f"the requests; neighbours are side by side, so that one moves {factor} elements, and more bytes are under way",
        (fact_of(top, launch.profile, "global_access_bytes", float(top.size_bytes)),),
        FixedLaunch(fixed, launch.occupancy),
        Severity.INFORMATION,
    )


def _moved(profile: LaunchProfile) -> tuple[LineAccess, ...]:
    return accesses(profile, *_GLOBAL)


def _factor(moved: tuple[LineAccess, ...]) -> int:
    """Elements of a vector of the widest ones."""
    return _WIDEST_BYTES // max(a.size_bytes for a in moved)


def _is_streamed(access: LineAccess) -> bool:
    return access.size_bytes < _WIDEST_BYTES and (access.sectors or 0) <= _DENSE_RATIO * (access.ideal_sectors or 0)


def _is_reused(profile: LaunchProfile, moved: tuple[LineAccess, ...]) -> bool:
    loaded = sum(a.ideal_sectors or 0 for a in moved if a.op == "global load")
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


def _widened_on(profile: LaunchProfile, factor: int, lines: frozenset[tuple[str, int]]) -> LaunchProfile:
    """The same on some lines alone; the others have their requests and instructions still."""
    return replace(
        profile,
        accesses=tuple(replace(a, requests=math.ceil(a.requests / factor)) if (a.file, a.line) in lines else a for a in profile.accesses),
        instructions=tuple(_fewer(line, factor) if (line.file, line.line) in lines else line for line in profile.instructions),
    )


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
