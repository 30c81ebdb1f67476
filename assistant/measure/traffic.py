"""What a launch moves through each level of memory, estimated from its counters.

Counters are exact addresses' consequences (requests, sectors, wavefronts); what hits in L1 and L2 is not known and is
estimated from the distinct sectors per block and per grid. A sampled launch comes with counters of the whole grid.

    Example: a 4096² naive transpose: 2.1 M load sectors, 16.8 M store sectors of which 14.7 M partly filled, 4.2 M distinct.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from assistant.measure import calibration as c
from assistant.measure.instructions import warp_instructions
from assistant.model.device import Target
from assistant.model.profile import LaunchProfile, LineAccess
from assistant.record import Record

__all__ = ["Traffic", "estimate_tags", "traffic"]


class Traffic(Record):
    """Whole-grid counts."""

    load_requests: float
    """Warp-level global loads and atomics."""
    loads_in_flight: float
    """Loads a warp is taken to have in flight."""
    l1_sectors: float
    l1_tags: float
    l1_passes: float
    """Passes of loads over L1's banks; the tags where they were not counted."""
    l2_load_sectors: float
    l2_store_sectors: float
    partial_store_sectors: float
    """Part of ``l2_store_sectors`` that a request fills only in part."""
    atomic_sectors: float
    serial_atomics: float
    """Lane-level atomics that queue in one place of L2."""
    shared_wavefronts: float
    shared_load_requests: float
    has_barrier_phases: bool
    """Shared memory is written and read: phases of a block are taken to be separated by barriers."""
    footprint_bytes: float
    dram_bytes: float
    notes: tuple[str, ...]

    @property
    def l1_miss_ratio(self) -> float:
        """Share of loaded sectors that L1 does not hold."""
        loads = self.l1_sectors - self.l2_store_sectors - self.atomic_sectors
        return min(1.0, self.l2_load_sectors / loads) if loads > 0 else 1.0


def estimate_tags(access: LineAccess) -> float:
    """L1 tag lookups of a line: counted, else estimated.

    Ideal sectors of a dense request lie four to a line. Fewer sectors than the lanes' bytes fill mean that lanes share
    addresses; such sectors belong to separate groups, half of them on a line of their own (1.5 lines for 2 sectors in the
    fixture's naive matrix product). Of excess sectors, requests of more than 16 are taken to be scattered (a line each), others
    to be a stride that walks through whole lines.
    """
    if access.tags is not None:
        return float(access.tags)
    if not access.sectors:
        return 0.0
    sectors, requests = float(access.sectors), float(access.requests)
    ideal = float(access.ideal_sectors or sectors)
    if sectors < access.active_threads * access.size_bytes / c.SECTOR_BYTES:
        return requests + max(0.0, sectors - requests) / 2
    if sectors / requests <= 16:
        return min(sectors, max(sectors / 4, requests))
    return max(ideal / 4, requests) + (sectors - ideal)


def traffic(profile: LaunchProfile, target: Target, wave_count: float) -> Traffic:
    """Estimate for one launch; ``wave_count`` is how often the device is filled with blocks."""
    loads = _of(profile, "global load")
    stores = _of(profile, "global store")
    atomics = _of(profile, "global atomic")
    local = tuple(a for a in profile.accesses if a.op.startswith("local"))
    shared = tuple(a for a in profile.accesses if a.op.startswith("shared"))
    load_sectors, store_sectors = _sectors(loads), _sectors(stores)
    unique, block_unique, notes = _distinct_sectors(profile, loads, stores)
    l2_loads = min(load_sectors, block_unique)
    footprint_bytes = unique * c.SECTOR_BYTES
    loads_per_update = _loads_per_update(profile, loads, stores, footprint_bytes)
    has_barrier_phases = {"shared load", "shared store"} <= {a.op for a in shared}
    return Traffic(
        load_requests=sum(a.requests for a in (*loads, *atomics)),
        loads_in_flight=loads_per_update or _loads_in_flight(profile, loads, has_barrier_phases),
        l1_sectors=_sectors((*loads, *stores, *atomics, *local)),
        l1_tags=sum(estimate_tags(a) for a in (*loads, *stores, *atomics, *local)),
        l1_passes=sum(estimate_tags(a) if a.passes is None else a.passes for a in (*loads, *local)),
        l2_load_sectors=l2_loads,
        l2_store_sectors=store_sectors,
        partial_store_sectors=sum(max(0, (a.sectors or 0) - (a.ideal_sectors or 0)) for a in stores),
        atomic_sectors=_sectors(atomics),
        serial_atomics=_serial_atomics(atomics, profile.atomic_unique_sectors, unique, load_sectors + store_sectors),
        shared_wavefronts=sum(a.wavefronts or 0 for a in shared),
        shared_load_requests=sum(a.requests for a in shared if a.op == "shared load"),
        has_barrier_phases=has_barrier_phases,
        footprint_bytes=footprint_bytes,
        dram_bytes=_dram_bytes(l2_loads, _ideal(stores), unique, footprint_bytes, target, wave_count),
        notes=notes,
    )


def _of(profile: LaunchProfile, op: str) -> tuple[LineAccess, ...]:
    return tuple(a for a in profile.accesses if a.op == op)


def _sectors(accesses: Iterable[LineAccess]) -> int:
    return sum(a.sectors or 0 for a in accesses)


def _ideal(accesses: Iterable[LineAccess]) -> int:
    return sum(a.ideal_sectors if a.ideal_sectors is not None else a.sectors or 0 for a in accesses)


def _loads_in_flight(profile: LaunchProfile, loads: tuple[LineAccess, ...], has_barrier_phases: bool) -> float:
    """What stands between two branches of the machine code is in flight together, at least a load of each line.

    Where instructions, or their classes, were not counted, plain loops are taken to be unrolled, those with barriers or atomics not.
    """
    sites = max(1, len({(a.file, a.line, a.size_bytes) for a in loads}))
    executed = warp_instructions(profile)
    has_classes = executed.of("other") < executed.total
    if executed.is_estimated or not has_classes:
        is_ordered = has_barrier_phases or any("atomic" in a.op for a in profile.accesses)
        return min(c.MAX_LOADS_IN_FLIGHT, sites * (1 if is_ordered else c.LOADS_IN_FLIGHT_PER_SITE))
    between_branches = sum(a.requests for a in loads) / max(1.0, executed.of("control"))
    return min(float(c.MAX_LOADS_IN_FLIGHT), max(float(sites), between_branches))


def _loads_per_update(profile: LaunchProfile, loads: tuple[LineAccess, ...], stores: tuple[LineAccess, ...], footprint_bytes: float) -> int:
    """Loads of one step of a loop that updates memory in place (``c[i] += a[k]``); 0 where there is none.

    Such a step's loads must stay behind the last step's store, which may be to the same place: nothing else is in flight. Seen by
    a line that loads and stores more than once per warp, and more than half of what the launch touches: two arrays of which each
    element is read once and written once stay below. Checked on two launches of ``tests/data/h200/examples.json``, H200, empty
    caches, one run each: matrix product of 128², 42.2 µs measured, 31 predicted (10 without this); column mean of 256 rows, 31.1 µs
    measured, 50 predicted (19 without). With warm caches (same GPU, median of 15 series of 50) the product of 256² takes 46.6 µs, and
    10.4 µs with its sum in a register.
    """
    warps = profile.config.grid.count * _warps_per_block(profile)
    loading = {(a.file, a.line): a.requests for a in loads}
    updates = [a for a in stores if (a.file, a.line) in loading and a.requests > warps]
    if sum(a.active_threads * a.size_bytes for a in updates) <= footprint_bytes / 2:
        return 0
    return max(1, round(sum(loading[a.file, a.line] for a in updates) / sum(a.requests for a in updates)))


def _warps_per_block(profile: LaunchProfile) -> int:
    return math.ceil(profile.config.block.count / c.WARP_LANES)


def _distinct_sectors(
    profile: LaunchProfile, loads: tuple[LineAccess, ...], stores: tuple[LineAccess, ...]
) -> tuple[float, float, tuple[str, ...]]:
    """(distinct in the grid, Σ over blocks of distinct in the block, notes)."""
    notes: tuple[str, ...] = ()
    if 0 < profile.blocks_counted < profile.config.grid.count:
        notes = (f"counters of {profile.blocks_counted} of {profile.config.grid.count} blocks, scaled to the grid",)
    known = profile.estimated_unique_sectors if profile.unique_sectors is None else profile.unique_sectors
    if known is None:
        assumed = float(_ideal((*loads, *stores)))
        return assumed, assumed, (*notes, "distinct sectors not tracked: ideal sectors are taken as distinct")
    unique = min(float(known), float(_sectors(profile.accesses)))
    block_unique = profile.block_unique_sectors
    return unique, float(block_unique) if block_unique is not None else unique, notes


def _serial_atomics(atomics: tuple[LineAccess, ...], counted: int | None, unique: float, other_sectors: float) -> float:
    """Lane-level atomics per piece of memory that L2 serves one after the other.

    Atomics of one warp on one sector are merged before they leave the SM. ``counted``: distinct sectors of the atomics. Where they
    were not counted they are what the loads and stores, if each touched its own, leave over; where those leave nothing, all distinct
    sectors are assumed (least contention).
    """
    lanes = sum(a.requests if (a.sectors or 0) <= a.requests else a.active_threads for a in atomics)
    if not lanes:
        return 0.0
    sectors = _sectors(atomics)
    left_over = unique - other_sectors
    distinct = min(sectors, counted or (left_over if left_over >= 1 else max(unique, 1.0)))
    return lanes / max(1.0, distinct * c.SECTOR_BYTES / c.ATOMIC_GRANULE_BYTES)


def _dram_bytes(l2_loads: float, ideal_stores: float, unique: float, footprint_bytes: float, target: Target, wave_count: float) -> float:
    """Each distinct sector once in each direction, plus what later waves fetch again; nothing while L2 holds the footprint."""
    spill_ratio = _beyond_l2(footprint_bytes, target.l2_bytes)
    loads = min(l2_loads, unique)
    refetched = max(0.0, min(l2_loads, unique * max(1.0, wave_count)) - unique)
    overflow_ratio = max(0.0, 1 - target.l2_bytes / footprint_bytes) if footprint_bytes else 0.0
    stores = min(ideal_stores, unique)
    return ((loads + stores) * spill_ratio + refetched * overflow_ratio) * c.SECTOR_BYTES


def _beyond_l2(footprint_bytes: float, l2_bytes: int) -> float:
    """0 while the footprint stays in L2 between launches, 1 when it cannot; linear in between."""
    resident = c.L2_RESIDENT_RATIO * l2_bytes
    return min(1.0, max(0.0, (footprint_bytes - resident) / (l2_bytes - resident)))
