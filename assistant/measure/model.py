"""Predicted time of a launch: the slowest of its resources, limited by how much it keeps in flight.

    time = launch + longer of (slowest throughput, waiting) + what is left visible of the shorter

Formulas, limits and measured facts it was checked against: docs/explanation/performance-model.md. Nothing here is a
measurement; the only hardware input is a ``Target``. Example::

    predict(profile, resources, occupancy, target("h200")).bottleneck   # "l2"
"""

from __future__ import annotations

import math
from dataclasses import replace

from assistant.measure import calibration as c
from assistant.measure.instructions import WarpInstructions, warp_instructions
from assistant.measure.traffic import Traffic, traffic
from assistant.model.build import KernelResources, Occupancy
from assistant.model.comparison import LAUNCH_TERM, ModelTerm, PredictedTime
from assistant.model.device import Target
from assistant.model.profile import LaunchProfile
from assistant.record import Record

__all__ = ["Fill", "fill", "predict", "room_ratio", "without_launch"]

_MAX_WARPS_PER_SM = 64
_MAX_BLOCKS_PER_SM = 32
"""Assumed where occupancy is not known (guide, "Compute Capabilities", sm_90)."""


class Fill(Record):
    """How a grid lies on the device."""

    block_count: int
    warps_per_block: int
    blocks_per_sm: int
    """Resident at once: what occupancy allows, at most what the grid has."""
    wave_count: float
    """How often the device is filled, at least 1."""
    imbalance_ratio: float
    """Work of the busiest SM / mean work of an SM, at least 1."""
    longest_warp_ratio: float
    """Work of the longest warp / mean work of a warp, at least 1."""
    busy_scheduler_ratio: float
    """Share of an SM's four schedulers that have a warp at all."""

    @property
    def warp_count(self) -> int:
        return self.block_count * self.warps_per_block


class _Slowest(Record):
    """The slowest term of memory, of shared memory, of arithmetic and starting blocks."""

    memory_s: float
    shared_s: float
    compute_s: float


class _Waits(Record):
    """What a warp by itself would take: waiting for its loads, and one instruction after the other."""

    load_s: float
    chain_s: float
    round_s: float
    """One round of loads."""


def fill(profile: LaunchProfile, occupancy: Occupancy | None, target: Target) -> Fill:
    """How the launch's blocks lie on ``target``'s SMs."""
    block_count, warps, allowed = _blocks(profile, occupancy)
    busiest = math.ceil(block_count / target.sm_count)
    resident = max(1, min(allowed, busiest))
    return Fill(
        block_count=block_count,
        warps_per_block=warps,
        blocks_per_sm=resident,
        wave_count=max(1.0, block_count / (resident * target.sm_count)),
        imbalance_ratio=busiest * target.sm_count / block_count * _uneven_blocks(profile, busiest),
        longest_warp_ratio=profile.spread.longest_warp_ratio if profile.spread else 1.0,
        busy_scheduler_ratio=min(1.0, resident * warps / target.issue_slots_per_clock_per_sm),
    )


def _uneven_blocks(profile: LaunchProfile, blocks_per_sm: int) -> float:
    """Work of the SM with the most / mean, where blocks do different amounts of work: the largest of the means of ``blocks_per_sm`` blocks
    that are dealt in no particular order, at most that of the longest block."""
    if profile.spread is None:
        return 1.0
    spread = c.BUSIEST_DEVIATIONS * profile.spread.block_deviation_ratio / math.sqrt(blocks_per_sm)
    return min(1 + spread, profile.spread.longest_block_ratio)


def room_ratio(profile: LaunchProfile, occupancy: Occupancy | None, target: Target) -> float:
    """The share (0..1) of the blocks that ``target`` holds at once which the launch has, at most all."""
    block_count, _, allowed = _blocks(profile, occupancy)
    return min(1.0, block_count / (max(1, allowed) * target.sm_count))


def predict(profile: LaunchProfile, resources: KernelResources | None, occupancy: Occupancy | None, target: Target) -> PredictedTime:
    """The model's time of a launch on ``target``; ``notes`` say what had to be assumed."""
    filled = fill(profile, occupancy, target)
    moved = traffic(profile, target, filled.wave_count)
    executed = warp_instructions(profile)
    memory = (_dram(moved, target), _l2(moved, filled, target), _l1(moved, filled, target))
    shared = _shared(moved, filled, target)
    compute = _compute(executed, filled, target)
    blocks = ModelTerm("blocks", filled.block_count * c.BLOCK_START_S, (("blocks", float(filled.block_count), "block"),))
    waits = _waits(moved, executed, filled, target)
    latency = _latency(moved, waits, filled, target)
    launch = ModelTerm(LAUNCH_TERM, c.LAUNCH_S, (("launch overhead", c.LAUNCH_S, "s"),))
    dram, _, l1 = memory
    memory_s = max(dram.time_s, _l2_transfer_s(moved, filled, target), l1.time_s)
    slowest = _Slowest(memory_s, shared.time_s, max(t.time_s for t in (*compute, blocks)))
    combined_s = _combine_phases(slowest, waits, filled) if moved.has_barrier_phases else _combine(slowest, waits, filled)
    body_s = max(combined_s, _atomics_s(moved, waits))
    terms = tuple(t for t in (*memory, shared, *compute, blocks, latency, launch) if t.time_s > 0)
    return PredictedTime(
        time_s=c.LAUNCH_S + body_s,
        bottleneck=max(terms, key=lambda t: t.time_s).name,
        terms=terms,
        target=target.name,
        notes=(*moved.notes, *_notes(executed, occupancy, resources), *(f"left out: {reason}" for reason in profile.refused)),
    )


def _blocks(profile: LaunchProfile, occupancy: Occupancy | None) -> tuple[int, int, int]:
    """Blocks of the grid, warps of a block, and blocks that an SM may hold."""
    config = profile.config
    warps = max(1, math.ceil(config.block.count / c.WARP_LANES))
    allowed = occupancy.blocks_per_sm if occupancy else min(_MAX_BLOCKS_PER_SM, _MAX_WARPS_PER_SM // warps)
    return max(1, config.grid.count), warps, allowed


def _combine(slowest: _Slowest, waits: _Waits, filled: Fill) -> float:
    """Seconds besides the launch.

    Memory, shared memory and arithmetic overlap freely. Waiting overlaps with them as far as blocks start at different times: those that
    are on the device from the start load, wait and compute at the same times, so that in a launch that fits at once the two add up.
    """
    return _partly_hidden(max(slowest.memory_s, slowest.shared_s, slowest.compute_s), waits.load_s + waits.chain_s, 1 / filled.wave_count)


def _combine_phases(slowest: _Slowest, waits: _Waits, filled: Fill) -> float:
    """Likewise where barriers separate a block's loads from its work on shared memory.

    Within a phase warps overlap: arithmetic with shared memory and with what other warps wait for. Of the shorter phase, the launch's
    waves hide what they can, and so do the other resident blocks: with B blocks on an SM, 1/(B−1) stays visible.
    """
    loading_s = slowest.memory_s + waits.load_s
    working_s = max(slowest.shared_s, slowest.compute_s, waits.chain_s)
    return _partly_hidden(loading_s, working_s, max(1 / filled.wave_count, 1 / max(1, filled.blocks_per_sm - 1)))


def _partly_hidden(one_s: float, other_s: float, exposed_ratio: float) -> float:
    shorter_s, longer_s = sorted((one_s, other_s))
    return longer_s + shorter_s * exposed_ratio


def _dram(moved: Traffic, target: Target) -> ModelTerm:
    reachable = target.dram_bytes_per_s * c.DRAM_EFFICIENCY_RATIO
    inputs = (
        ("DRAM bytes", moved.dram_bytes, "byte"),
        ("footprint", moved.footprint_bytes, "byte"),
        ("DRAM bandwidth", reachable, "byte/s"),
    )
    return ModelTerm("dram", moved.dram_bytes / reachable, inputs)


def _l2(moved: Traffic, filled: Fill, target: Target) -> ModelTerm:
    """L2 slices, the SM's port to them, or atomics queueing in one place: the slowest."""
    inputs = (
        ("L2 load sectors", moved.l2_load_sectors, "sector"),
        ("L2 store sectors", moved.l2_store_sectors, "sector"),
        ("partly filled store sectors", moved.partial_store_sectors, "sector"),
        ("atomics in one place", moved.serial_atomics, "atomic"),
        ("L2 bandwidth", target.l2_bytes_per_s, "byte/s"),
    )
    return ModelTerm("l2", max(_l2_transfer_s(moved, filled, target), moved.serial_atomics * c.ATOMIC_S), inputs)


def _l2_transfer_s(moved: Traffic, filled: Fill, target: Target) -> float:
    sectors = (
        moved.l2_load_sectors + moved.l2_store_sectors + moved.atomic_sectors + (c.PARTIAL_STORE_COST - 1) * moved.partial_store_sectors
    )
    slices_s = sectors * c.SECTOR_BYTES / target.l2_bytes_per_s
    port_bytes_per_s = c.L2_BYTES_PER_CLOCK_PER_SM * target.clock_hz * target.sm_count
    port_s = (moved.l2_load_sectors + moved.l2_store_sectors) * c.SECTOR_BYTES / port_bytes_per_s * filled.imbalance_ratio
    return max(slices_s, port_s)


def _atomics_s(moved: Traffic, waits: _Waits) -> float:
    """Atomics in one place, carried out one after the other while warps go on; the first of them waits for what it adds."""
    queue_s = moved.serial_atomics * c.ATOMIC_S
    return queue_s + min(waits.round_s, queue_s)


def _l1(moved: Traffic, filled: Fill, target: Target) -> ModelTerm:
    """One 128-byte line looked up and 128 bytes moved per clock and SM."""
    clocks = _l1_clocks(moved, target)
    inputs = (
        ("L1 tag lookups", moved.l1_tags, "line"),
        ("L1 bank passes", moved.l1_passes, "pass"),
        ("L1 sectors", moved.l1_sectors, "sector"),
    )
    return ModelTerm("l1", _per_sm_s(clocks, filled, target), inputs)


def _l1_clocks(moved: Traffic, target: Target) -> float:
    """Of all SMs together."""
    sectors = moved.l1_sectors * c.SECTOR_BYTES / target.l1_bytes_per_clock_per_sm
    return max(moved.l1_passes, moved.l1_tags / c.L1_TAGS_PER_CLOCK, sectors)


def _shared(moved: Traffic, filled: Fill, target: Target) -> ModelTerm:
    """One wavefront per clock and SM."""
    clocks = moved.shared_wavefronts * c.LINE_BYTES / target.shared_bytes_per_clock_per_sm
    inputs = (("shared wavefronts", moved.shared_wavefronts, "wavefront"),)
    return ModelTerm("shared", _per_sm_s(clocks, filled, target), inputs)


def _compute(executed: WarpInstructions, filled: Fill, target: Target) -> tuple[ModelTerm, ...]:
    """Issue slots and every pipe."""
    half_lanes = target.half_lanes_per_sm / 2  # a half2 instruction gives two results
    pipes = (
        ("fp32", executed.of("fp32"), target.fp32_lanes_per_sm),
        ("fp64", executed.of("fp64") + executed.of("double_tensor") * _double_product(target), target.fp64_lanes_per_sm),
        ("half", executed.of("half"), half_lanes),
        ("conversion", executed.of("conversion"), target.conversion_lanes_per_sm),
        ("special", executed.of("special"), target.special_lanes_per_sm),
        ("integer", executed.of("integer"), target.integer_lanes_per_sm),
    )
    issue = ModelTerm(
        "issue",
        _per_sm_s(executed.total / target.issue_slots_per_clock_per_sm / filled.busy_scheduler_ratio, filled, target),
        (("warp instructions", executed.total, "instruction"),),
    )
    return (issue, *(_pipe(name, count, lanes, filled, target) for name, count, lanes in pipes))


def _double_product(target: Target) -> float:
    """Instructions of the double-precision pipe that take as long as one product by tensor cores: 8 on an H200, 4 on an A100."""
    peak = target.tensor.fp64_flop_per_s
    if peak is None:
        return 0.0
    flop = c.DOUBLE_PRODUCT_FLOP if target.architecture == "sm_80" else c.LONGER_DOUBLE_PRODUCT_FLOP
    return flop * target.sm_count * target.clock_hz / peak * target.fp64_lanes_per_sm / c.WARP_LANES


def _pipe(name: str, warp_instruction_count: float, lanes: float, filled: Fill, target: Target) -> ModelTerm:
    clocks = warp_instruction_count * c.WARP_LANES / lanes / filled.busy_scheduler_ratio
    inputs = ((f"{name} warp instructions", warp_instruction_count, "instruction"), ("lanes per SM", float(lanes), "lane"))
    return ModelTerm(name, _per_sm_s(clocks, filled, target), inputs)


def _per_sm_s(clocks: float, filled: Fill, target: Target) -> float:
    """Seconds of ``clocks`` of work spread over all SMs, the busiest one deciding."""
    return clocks / target.sm_count / target.clock_hz * filled.imbalance_ratio


def _waits(moved: Traffic, executed: WarpInstructions, filled: Fill, target: Target) -> _Waits:
    """Little's law: a warp waits for its loads in rounds of as many as it has in flight; waves follow each other."""
    waves = filled.wave_count - 1 + filled.longest_warp_ratio
    shared_per_warp = moved.shared_load_requests / filled.warp_count / c.LOADS_IN_FLIGHT_PER_SITE
    clocks = _dependent_clocks(executed) / filled.warp_count + shared_per_warp * c.SHARED_LATENCY_CLOCKS
    round_s = _load_latency_s(moved, target)
    return _Waits(_load_rounds(moved, filled) * round_s * waves, clocks / target.clock_hz * waves, round_s)


def _load_rounds(moved: Traffic, filled: Fill) -> float:
    loads_per_warp = moved.load_requests / filled.warp_count
    return max(1.0, loads_per_warp / moved.loads_in_flight) if loads_per_warp else 0.0


def _latency(moved: Traffic, waits: _Waits, filled: Fill, target: Target) -> ModelTerm:
    inputs = (
        ("load rounds per warp", _load_rounds(moved, filled), "round"),
        ("load latency", _load_latency_s(moved, target), "s"),
        ("waves", filled.wave_count, "wave"),
        ("resident warps per SM", float(filled.blocks_per_sm * filled.warps_per_block), "warp"),
    )
    return ModelTerm("latency", waits.load_s + waits.chain_s, inputs)


def _dependent_clocks(executed: WarpInstructions) -> float:
    """Clocks of all warps together if each had its scheduler for itself."""
    waited = {
        "special": c.DEPENDENT_SPECIAL_CLOCKS,
        "conversion": c.DEPENDENT_SPECIAL_CLOCKS,
        "control": c.DEPENDENT_CONTROL_CLOCKS,
        "load_store": c.DEPENDENT_ACCESS_CLOCKS,
        "double_tensor": c.DEPENDENT_PRODUCT_CLOCKS,
    }
    return sum(count * waited.get(name, c.DEPENDENT_ISSUE_CLOCKS) for name, count in executed.counts)


def _load_latency_s(moved: Traffic, target: Target) -> float:
    """Latency of one round of loads: a warp waits for its slowest, so one miss of the loads in flight makes the round a miss.

    Misses come from L2 or DRAM in the proportion of the bytes that each delivers.
    """
    round_miss_ratio = 1 - (1 - moved.l1_miss_ratio) ** moved.loads_in_flight
    l2_sectors = moved.l2_load_sectors + moved.l2_store_sectors
    dram_ratio = min(1.0, moved.dram_bytes / c.SECTOR_BYTES / l2_sectors) if l2_sectors else 0.0
    beyond_s = target.dram_latency_s * (dram_ratio + (1 - dram_ratio) * c.L2_LATENCY_RATIO)
    return c.L1_LATENCY_CLOCKS / target.clock_hz + round_miss_ratio * beyond_s


def _notes(executed: WarpInstructions, occupancy: Occupancy | None, resources: KernelResources | None) -> tuple[str, ...]:
    notes: list[str] = []
    if executed.is_estimated:
        notes.append("no counts of machine code: instruction counts are assumed from the memory accesses")
    if occupancy is None:
        notes.append("occupancy not known: only the block size limits resident blocks")
    if resources is not None and resources.spill_load_bytes + resources.spill_store_bytes > 0:
        notes.append("register spills are not part of the counted accesses")
    return tuple(notes)


def without_launch(predicted: PredictedTime) -> PredictedTime:
    """The same prediction without the launch overhead, as a timing that subtracts an empty kernel sees it."""
    terms = tuple(t for t in predicted.terms if t.name != LAUNCH_TERM)
    bottleneck = max(terms, key=lambda t: t.time_s).name if terms else predicted.bottleneck
    return replace(predicted, time_s=predicted.time_s - c.LAUNCH_S, bottleneck=bottleneck, terms=terms)
