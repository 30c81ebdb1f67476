"""KO101 uncoalesced access, KO102 wasted sectors: requests that touch more sectors than their lanes need."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from assistant.model.profile import LaunchProfile, LineAccess
from assistant.profile.context import CountedLaunch, FindContext, accesses, warps_of
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch, fact_of, replace_accesses
from assistant.profile.facts import StructUse
from assistant.profile.rules.walks import RowWalk, row_walk
from assistant.profile.thresholds import threshold
from assistant.profile.wording import lines_of, number, percent, plural
from assistant.record import Record

__all__ = ["uncoalesced_access", "wasted_sectors"]

_WARP_LANES = 32
_SECTOR_BYTES = 32
_MISALIGNED_EXTRA_SECTORS = 1.05
"""A shifted but otherwise dense row of threads needs at most one sector more."""
_LEAST_STRIDED_RATIO = 1.95
"""A stride of two elements doubles the sectors; the ends of rows take a little off."""
_SAME_COUNT_RATIO = 0.1
"""What the text says of a whole warp is what was counted, but for the borders of the grid (chosen); lanes that a loop's last iteration or a
branch switched off touch fewer sectors, at most in proportion."""


def uncoalesced_access(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO101: most of every sector moved is not used, and not because of a structure's other members."""
    walk = row_walk(context, launch)
    return tuple(
        _scattered(context, launch, group, walk if walk is not None and walk.line == group[0].line else None)
        for group in _wasteful_lines(launch.profile)
        if _ratio(group[0]) >= threshold("uncoalesced_ratio") and not _is_of_structures(context, group[0])
    )


def _is_of_structures(context: FindContext, access: LineAccess) -> bool:
    facts = context.facts.at(access.file, access.line)
    return bool(facts.struct_fields or facts.structs or facts.moves_structures)


def _scattered(context: FindContext, launch: CountedLaunch, group: tuple[LineAccess, ...], walk: RowWalk | None) -> Diagnosis:
    """``walk``: where the same cause leaves too few warps, its fix is the fix of both."""
    is_load = group[0].op.endswith("load")
    verb = "read" if is_load else "write"
    worst = _worst(context, group[0])
    named = "" if worst is None else f"{worst.partition(';')[0]}; "
    sentence = f"{_sectors_sentence(group[0])}: {named}the threads of a warp {verb} addresses far apart"
    if walk is None or not is_load:
        return _diagnose("KO101", launch, group, sentence)
    found = _diagnose(
        "KO101",
        launch,
        group,
        f"{sentence}, {walk.words}, and {plural(warps_of(launch.profile), 'warp')} are "
        "too few to hide the waiting; a warp per row would read side by side and be 32 times as many",
    )
    return replace(found, fixed=walk.fixed)


def wasted_sectors(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO102: sectors are used in part: a misaligned start, a stride, an array of structures, distinguished by how many too many."""
    found: list[Diagnosis] = []
    arrays: defaultdict[str, list[_StructLine]] = defaultdict(list)
    for group in _wasteful_lines(launch.profile):
        facts = context.facts.at(group[0].file, group[0].line)
        if len(facts.structs) == 1:
            arrays[facts.structs[0].pointer].append(_StructLine(facts.structs[0], group))
        elif facts.struct_fields or facts.moves_structures or _ratio(group[0]) < threshold("uncoalesced_ratio"):
            members = facts.struct_fields or (("members",) if facts.moves_structures else ())
            reason = _worst(context, group[0]) or _reason(group[0], members, launch.profile)
            found.append(_diagnose("KO102", launch, group, f"{_sectors_sentence(group[0])}: {reason}"))
    return (*found, *(_structures(launch, lines) for lines in arrays.values()))


class _StructLine(Record):
    """Accesses of a line to members of an array of structures."""

    use: StructUse
    group: tuple[LineAccess, ...]


def _structures(launch: CountedLaunch, lines: list[_StructLine]) -> Diagnosis:
    """One cause, one finding: the array, at its costliest line."""
    lines = sorted(lines, key=lambda line: sum(_excess(a) for a in line.group), reverse=True)
    use = lines[0].use
    group = tuple(access for line in lines for access in line.group)
    message = (
        f"{_sectors_sentence(group[0])}: {use.pointer} is an array of {use.type} structures of "
        f"{use.size_bytes} bytes, and a request takes one member of each; {_share(use, lines)}"
    )
    return _diagnose("KO102", launch, group, message)


def _share(use: StructUse, lines: list[_StructLine]) -> str:
    """Which members are used, where, and what becomes of the bytes between them."""
    members = ", ".join(dict.fromkeys(name for line in lines for name in line.use.members))
    place = f" ({lines_of(line.group[0].line for line in lines)})" if len(lines) > 1 else ""
    unused_bytes = use.size_bytes - use.used_bytes
    if not unused_bytes:
        return (
            f"all of it is used{place}, but by requests of one member each that walk over whole structures; split it into an array a member"
            f"{_or_aligned(use.size_bytes)}"
        )
    return (
        f"the kernel uses {members}{place}, {use.used_bytes} of every {use.size_bytes} bytes, and moves the other "
        f"{percent(unused_bytes / use.size_bytes)} in vain"
    )


def _or_aligned(size_bytes: int) -> str:
    """Of a structure that fits into one access of a thread."""
    aligned = next((size for size in (2, 4, 8, 16) if size_bytes <= size), None)
    return "" if aligned is None else f", or give it __align__({aligned}), so that one request moves all of it"


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


def _worst(context: FindContext, access: LineAccess) -> str | None:
    """``in[x * n + y] is the worst of its 3 loads, 32 where 4 would do``.

    None where its accesses cost the same, and where the text does not say, or not what was counted.
    """
    is_store = access.op.endswith("store")
    costs = [c for c in context.facts.costs if c.line == access.line and c.is_store == is_store and context.facts.is_of(access.file)]
    ratios = {cost.sectors / cost.ideal for cost in costs if cost.ideal}
    if len(ratios) < 2:
        return None
    mean, counted = sum(cost.sectors for cost in costs) / len(costs), _per_request(access)[0]
    active_ratio = access.active_threads / (_WARP_LANES * access.requests)
    if not mean * active_ratio * (1 - _SAME_COUNT_RATIO) <= counted <= mean * (1 + _SAME_COUNT_RATIO):
        return None
    worst = max(costs, key=lambda cost: cost.sectors - cost.ideal)
    kind = access.op.removeprefix("global ")
    apart = "; the addresses of a warp's threads lie apart" if worst.sectors >= _LEAST_STRIDED_RATIO * worst.ideal else ""
    return f"{worst.text} is the worst of its {plural(len(costs), kind)}, {worst.sectors} where {worst.ideal} would do{apart}"


def _reason(access: LineAccess, fields: tuple[str, ...], profile: LaunchProfile) -> str:
    """A row of threads that starts inside a sector costs one sector more, a stride doubles them at least."""
    actual, ideal = _per_request(access)
    row_threads = min(profile.config.block.x, _WARP_LANES)
    row_count = -(-_WARP_LANES // row_threads)
    used = percent(1 / _ratio(access))
    if fields:
        verb = "write" if access.op.endswith("store") else "read"
        return f"the threads of a warp {verb} {', '.join(fields)} of different structures, whose other members lie between"
    if actual - ideal <= _MISALIGNED_EXTRA_SECTORS * row_count:
        if _ratio(access) >= _LEAST_STRIDED_RATIO:
            return f"rows of {row_threads} threads start inside a sector, or step by two elements; the counts do not show which"
        if row_count == 1:
            return "misaligned, the warp's addresses follow each other but start inside a sector"
        return f"misaligned, a warp covers {row_count} rows of {row_threads} threads, and rows start inside a sector"
    if _ratio(access) < _LEAST_STRIDED_RATIO:
        return f"the warp's addresses fall into short pieces that begin or end inside a sector ({used} of the bytes moved are used)"
    return f"the addresses of a warp's threads lie apart, and only {used} of the bytes moved are used"


def _diagnose(code: str, launch: CountedLaunch, group: tuple[LineAccess, ...], message: str) -> Diagnosis:
    fixed = replace_accesses(launch.profile, {a: _made_ideal(a) for a in group})
    return Diagnosis(
        code=code,
        line=group[0].line,
        message=message,
        facts=tuple(fact for access in group for fact in _facts(access, launch.profile)),
        fixed=FixedLaunch(fixed, launch.occupancy),
    )


def _made_ideal(access: LineAccess) -> LineAccess:
    tags = None if access.tags is None else min(access.tags, max(access.requests, (access.ideal_sectors or 0) // 4))
    return replace(access, sectors=access.ideal_sectors, tags=tags, passes=None)


def _facts(access: LineAccess, profile: LaunchProfile) -> tuple[Fact, ...]:
    actual, ideal = _per_request(access)
    return (
        fact_of(access, profile, "global_sectors_per_request", actual),
        fact_of(access, profile, "global_ideal_sectors_per_request", ideal),
        fact_of(access, profile, "global_sectors", float(access.sectors or 0)),
        fact_of(access, profile, "global_requests", float(access.requests)),
    )
