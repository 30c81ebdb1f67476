"""KO101 uncoalesced access, KO102 wasted sectors: requests that touch more sectors than their lanes need."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from assistant.model.profile import LaunchProfile, LineAccess
from assistant.profile.context import CountedLaunch, FindContext, accesses
from assistant.profile.diagnosis import Diagnosis, Fact, Mended, fact_of, replace_accesses
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number, percent

__all__ = ["uncoalesced_access", "wasted_sectors"]

_WARP_LANES = 32
_SECTOR_BYTES = 32
_MISALIGNED_EXTRA_SECTORS = 1.05
"""A shifted but otherwise dense request needs at most one sector more."""


def uncoalesced_access(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO101: most of every sector moved is not used, and not because of a structure's other members."""
    return tuple(
        _diagnose(
            "KO101", launch, group, f"{_sectors_sentence(group[0])}: neighbouring threads of a warp access addresses far apart"
        )
        for group in _wasteful_lines(launch.profile)
        if _ratio(group[0]) >= threshold("uncoalesced_ratio") and not context.facts.at(group[0].line).struct_fields
    )


def wasted_sectors(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO102: sectors are used in part: a stride, an array of structures, a misaligned start."""
    found: list[Diagnosis] = []
    for group in _wasteful_lines(launch.profile):
        fields = context.facts.at(group[0].line).struct_fields
        if fields or _ratio(group[0]) < threshold("uncoalesced_ratio"):
            found.append(_diagnose("KO102", launch, group, f"{_sectors_sentence(group[0])}: {_reason(group[0], fields)}"))
    return tuple(found)


def _wasteful_lines(profile: LaunchProfile) -> tuple[tuple[LineAccess, ...], ...]:
    """Accesses above the wasted ratio, by line, the one with the most excess first."""
    lines: defaultdict[tuple[str, int], list[LineAccess]] = defaultdict(list)
    for access in accesses(profile, "global load", "global store"):
        if _ratio(access) >= threshold("wasted_ratio") and not _is_dense_for_inactive_lanes(access):
            lines[access.file, access.line].append(access)
    return tuple(tuple(sorted(group, key=_excess, reverse=True)) for group in lines.values())


def _is_dense_for_inactive_lanes(access: LineAccess) -> bool:
    """Lanes that a branch switched off leave gaps in what is a dense (at most misaligned) request of the whole warp."""
    has_inactive_lanes = access.active_threads < _WARP_LANES * access.requests
    dense_sectors = access.requests * (_WARP_LANES * access.size_bytes / _SECTOR_BYTES)
    return has_inactive_lanes and (access.sectors or 0) <= dense_sectors


def _ratio(access: LineAccess) -> float:
    return (access.sectors or 0) / access.ideal_sectors if access.ideal_sectors else 1.0


def _excess(access: LineAccess) -> int:
    return (access.sectors or 0) - (access.ideal_sectors or 0)


def _sectors_sentence(access: LineAccess) -> str:
    kind = access.op.removeprefix("global ")
    actual, ideal = _per_request(access)
    return (
        f"A global {kind} request of this line touches {number(actual)} theoretical sectors, as Nsight Compute counts them, "
        f"where {number(ideal)} would do"
    )


def _per_request(access: LineAccess) -> tuple[float, float]:
    return (access.sectors or 0) / access.requests, (access.ideal_sectors or 0) / access.requests


def _reason(access: LineAccess, fields: tuple[str, ...]) -> str:
    actual, ideal = _per_request(access)
    used = percent(1 / _ratio(access))
    if fields:
        return f"an array of structures, of which only {', '.join(fields)} is used here ({used} of the bytes moved)"
    if actual - ideal <= _MISALIGNED_EXTRA_SECTORS:
        return "the warp's addresses start inside a sector"
    return f"a stride between neighbouring threads leaves only {used} of the bytes moved in use"


def _diagnose(code: str, launch: CountedLaunch, group: tuple[LineAccess, ...], message: str) -> Diagnosis:
    mended = replace_accesses(launch.profile, {a: _made_ideal(a) for a in group})
    return Diagnosis(
        code=code,
        line=group[0].line,
        message=message,
        facts=tuple(fact for access in group for fact in _facts(access, launch.profile)),
        mended=Mended(mended, launch.occupancy),
    )


def _made_ideal(access: LineAccess) -> LineAccess:
    tags = None if access.tags is None else min(access.tags, max(access.requests, (access.ideal_sectors or 0) // 4))
    return replace(access, sectors=access.ideal_sectors, tags=tags)


def _facts(access: LineAccess, profile: LaunchProfile) -> tuple[Fact, ...]:
    actual, ideal = _per_request(access)
    return (
        fact_of(access, profile, "global_sectors_per_request", actual),
        fact_of(access, profile, "global_ideal_sectors_per_request", ideal),
        fact_of(access, profile, "global_sectors", float(access.sectors or 0)),
        fact_of(access, profile, "global_requests", float(access.requests)),
    )
