"""KO103 shared memory bank conflicts, KO110 contended atomics."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

from assistant.model.profile import LaunchProfile, LineAccess
from assistant.profile.context import CountedLaunch, FindContext, accesses, warps_of
from assistant.profile.diagnosis import Diagnosis, FixedLaunch, fact_of, replace_accesses
from assistant.profile.rules.reshaped import in_blocks_of
from assistant.profile.rules.reuse import scaled_access
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number

__all__ = ["bank_conflicts", "contended_atomics"]

_SECTOR_BYTES = 32
_LARGER, _MOST_THREADS = 4, 1024
"""How many times as large blocks are tried, up to what a block may have (programming guide, "Compute Capabilities")."""
_NEARLY_ALL = 0.75
"""Of the addresses in the sectors that are touched: the last sector of a table is seldom full."""
_MAX_WARPS_PER_SM = 64
"""Programming guide, "Compute Capabilities", sm_80 and sm_90; taken where occupancy is not known."""


def bank_conflicts(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO103: lanes of a request meet in one bank at different addresses."""
    lines: defaultdict[tuple[str, int], list[LineAccess]] = defaultdict(list)
    for access in accesses(launch.profile, "shared load", "shared store"):
        if _factor(access) >= threshold("conflict_factor"):
            lines[access.file, access.line].append(access)
    return tuple(_conflict(launch, sorted(group, key=_excess, reverse=True)) for group in lines.values())


def _conflict(launch: CountedLaunch, group: list[LineAccess]) -> Diagnosis:
    worst, profile = group[0], launch.profile
    fixed = replace_accesses(profile, {a: replace(a, wavefronts=a.ideal_wavefronts) for a in group})
    return Diagnosis(
        "KO103",
        worst.line,
        f"Bank conflicts make the {worst.op}s of this line take {number(_factor(worst))} times the wavefronts they need "
        f"({number(worst.wavefronts or 0)} theoretical against {number(worst.ideal_wavefronts or 0)}, as Nsight Compute counts)",
        (
            fact_of(worst, profile, "shared_conflict_factor", _factor(worst)),
            fact_of(worst, profile, "shared_wavefronts", float(worst.wavefronts or 0)),
            fact_of(worst, profile, "shared_ideal_wavefronts", float(worst.ideal_wavefronts or 0)),
        ),
        FixedLaunch(fixed, launch.occupancy),
    )


def _factor(access: LineAccess) -> float:
    return (access.wavefronts or 0) / access.ideal_wavefronts if access.ideal_wavefronts else 1.0


def _excess(access: LineAccess) -> int:
    return (access.wavefronts or 0) - (access.ideal_wavefronts or 0)


def contended_atomics(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO110: many threads update few addresses, which the hardware does one after the other."""
    profile = launch.profile
    threads = max(1, profile.config.thread_count)
    found: list[Diagnosis] = []
    for access in accesses(profile, "global atomic", "shared atomic"):
        issued = access.requests if access.is_aggregated else access.active_threads
        if issued / threads < threshold("atomic_share"):
            continue
        diagnosis = _shared_contention(launch, access) if access.op == "shared atomic" else _global_contention(context, launch, access)
        if diagnosis is not None:
            found.append(diagnosis)
    return tuple(found)


def _shared_contention(launch: CountedLaunch, access: LineAccess) -> Diagnosis | None:
    if _factor(access) < threshold("conflict_factor"):
        return None
    fixed = replace_accesses(launch.profile, {access: replace(access, wavefronts=access.ideal_wavefronts)})
    return Diagnosis(
        "KO110",
        access.line,
        f"Lanes of a warp update the same shared words or banks: the atomics of this line take {number(_factor(access))} times "
        "the wavefronts they need (theoretical)",
        (
            fact_of(access, launch.profile, "shared_conflict_factor", _factor(access)),
            fact_of(access, launch.profile, "atomic_lanes", float(access.active_threads)),
        ),
        FixedLaunch(fixed, launch.occupancy),
    )


def _global_contention(context: FindContext, launch: CountedLaunch, access: LineAccess) -> Diagnosis | None:
    """Either one warp's lanes share sectors, or different warps meet in few distinct sectors."""
    profile = launch.profile
    lanes = fact_of(access, profile, "atomic_lanes", float(access.active_threads))
    per_sector = access.active_threads / max(1, access.sectors or access.requests)
    reuse = _sector_reuse(context, launch, access)
    if reuse is not None and reuse >= threshold("atomic_sector_reuse"):
        sentence = (
            f"{number(access.active_threads)} atomics meet in few addresses: at least {number(math.floor(reuse))} of the warps that run at "
            "once update each touched sector"
        )
        facts = (fact_of(access, profile, "atomic_sector_reuse", reuse), lanes)
    elif per_sector > max(threshold("atomic_lanes_per_sector"), _SECTOR_BYTES / access.size_bytes):
        sentence = f"Lanes of a warp update the same addresses: {number(per_sector)} atomics in one sector"
        facts = (fact_of(access, profile, "atomic_lanes_per_sector", per_sector), lanes)
    else:
        return None
    sentence = f"{sentence}, and they are carried out one after the other"
    larger = _in_larger_blocks(context, launch, access)
    if larger is not None:
        message = f"{sentence}; each block adds to each address once: fewer, larger blocks would do it less often"
        return Diagnosis("KO110", access.line, message, facts, larger)
    message = f"{sentence}; combine in the {_where(access, per_sector)} first"
    return Diagnosis("KO110", access.line, message, facts, _aggregated(launch, access))


def _where(access: LineAccess, lanes_per_sector: float) -> str:
    """In the warp only where lanes share addresses for sure, more than the addresses in their sectors, and no hardware merges them."""
    shares = lanes_per_sector > _SECTOR_BYTES / access.size_bytes
    return "warp or block" if shares and not _is_merged_in_warp(access) else "block"


def _is_merged_in_warp(access: LineAccess) -> bool:
    """A warp's atomics lie in one sector: the model takes the hardware to merge them, so combining them in the warp gains nothing."""
    return (access.sectors or 0) <= access.requests


def _sector_reuse(context: FindContext, launch: CountedLaunch, access: LineAccess) -> float | None:
    """How many of the warps that are resident at once update a sector, at least; None when not tracked.

    Those of a whole launch meet in time only as far as they run at once, each with one request, and as far as they have one. Distinct
    sectors: of the grid's atomics, else of all its accesses.
    """
    profile = launch.profile
    distinct = profile.atomic_unique_sectors or profile.unique_sectors
    per_sm = launch.occupancy.active_warps_per_sm if launch.occupancy else _MAX_WARPS_PER_SM
    resident = min(max(1, warps_of(profile)), max(1, per_sm) * context.target.sm_count)
    meeting = min(resident, max(1, access.requests))
    return meeting * (access.sectors or 0) / max(1, access.requests) / distinct if distinct else None


def _combined_ratio(profile: LaunchProfile, access: LineAccess) -> float:
    """Atomics that are left of a block's once it has combined them: one for each address that it updates.

    A sector is taken to hold as many addresses as fit, but one where each warp's atomics lie in one sector.
    """
    warps = math.ceil(profile.config.block.count / 32)
    per_block = max(1, access.active_threads // max(1, profile.config.grid.count))
    in_sector = 1 if _is_merged_in_warp(access) else _SECTOR_BYTES // access.size_bytes
    addresses = in_sector * (profile.atomic_unique_sectors or 0)
    return max(1 / min(32 * warps, per_block), min(1.0, addresses / per_block))


def _aggregated(launch: CountedLaunch, access: LineAccess) -> FixedLaunch:
    """One atomic per block and address group, and what combining in shared memory costs: a barrier between writing and reading."""
    profile = launch.profile
    warps = math.ceil(profile.config.block.count / 32)
    fewer = replace_accesses(profile, {access: scaled_access(access, _combined_ratio(profile, access))})
    combining = tuple(_in_shared(access, op, warps * profile.config.grid.count) for op in ("shared store", "shared load"))
    if not _is_merged_in_warp(access):
        combining = (*combining, _in_shared(access, "shared atomic", access.requests))
    return FixedLaunch(replace(fewer, accesses=(*fewer.accesses, *combining)), launch.occupancy)


def _in_larger_blocks(context: FindContext, launch: CountedLaunch, access: LineAccess) -> FixedLaunch | None:
    """As many threads in blocks up to four times as large, where each block updates each address once, side by side; else None."""
    profile, block = launch.profile, launch.profile.config.block
    factor = min(_LARGER, _MOST_THREADS // block.count)
    per_block = access.active_threads / max(1, profile.config.grid.count)
    in_sector = _SECTOR_BYTES // access.size_bytes
    addresses = in_sector * (profile.atomic_unique_sectors or 0)
    is_once = 0 < _NEARLY_ALL * addresses <= per_block <= addresses
    is_side_by_side = access.active_threads >= _NEARLY_ALL * in_sector * (access.sectors or 0)
    if factor < 2 or block.count != block.x or not (is_once and is_side_by_side):
        return None
    fewer = replace_accesses(profile, {access: scaled_access(access, 1 / factor)})
    return in_blocks_of(factor * block.count, fewer, launch.occupancy, context.resources)


def _in_shared(access: LineAccess, op: str, requests: int) -> LineAccess:
    """Conflict-free requests of whole warps on the atomic's line."""
    return replace(
        access,
        op=op,
        requests=requests,
        active_threads=32 * requests,
        sectors=None,
        ideal_sectors=None,
        tags=None,
        passes=None,
        wavefronts=requests,
        ideal_wavefronts=requests,
    )
