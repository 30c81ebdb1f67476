"""A launch as another grid and block could be: the same threads and the same work, cut differently.

What a finding about the launch costs is asked of these, because a programmer can get there; more threads than there is work for, or
more warps than registers allow, is nothing that an edit of the launch gives.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

from assistant.model.build import KernelResources, Occupancy
from assistant.model.launch import Dim3
from assistant.model.profile import InstructionMix, LaunchProfile, LineAccess, LineInstructions
from assistant.profile.diagnosis import FixedLaunch

__all__ = ["in_blocks_of", "in_smaller_blocks", "with_blocks"]

_WARP_LANES = 32
_MOST_BLOCKS_PER_SM = 32
"""Programming guide, "Compute Capabilities": 32 on sm_80 and sm_90, 24 on sm_89; small blocks are seldom that many."""
_REGISTERS_PER_SM = 65536
_REGISTER_GRANULE = 256
"""Registers of a warp are handed out in units of this size (occupancy calculator, sm_80 to sm_90)."""


def in_smaller_blocks(profile: LaunchProfile, occupancy: Occupancy | None, resources: KernelResources | None) -> tuple[FixedLaunch, ...]:
    """The same threads in blocks of a half, a quarter, … of the size, down to one warp."""
    found: list[FixedLaunch] = []
    threads = profile.config.block.count // 2
    while threads >= _WARP_LANES:
        found.append(in_blocks_of(threads, profile, occupancy, resources))
        threads //= 2
    return tuple(found)


def in_blocks_of(threads: int, profile: LaunchProfile, occupancy: Occupancy | None, resources: KernelResources | None) -> FixedLaunch:
    """The same threads in blocks of ``threads``, without idle lanes but in the last warp of a block."""
    total = profile.config.grid.count * profile.config.block.count
    old_warps = profile.config.grid.count * math.ceil(profile.config.block.count / _WARP_LANES)
    grid = math.ceil(total / threads)
    warp_ratio = min(1.0, grid * math.ceil(threads / _WARP_LANES) / old_warps)
    filled = replace(
        profile,
        accesses=tuple(_in_fewer_requests(a, warp_ratio) for a in profile.accesses),
        executions=tuple(replace(e, warp_executions=math.ceil(e.warp_executions * warp_ratio)) for e in profile.executions),
        instructions=tuple(_in_fewer_warps(line, warp_ratio) for line in profile.instructions),
    )
    blocks = with_blocks(filled, grid)
    config = replace(blocks.config, block=Dim3(threads))
    return FixedLaunch(replace(blocks, config=config), None if occupancy is None else _resident(occupancy, threads, resources))


def with_blocks(profile: LaunchProfile, block_count: int) -> LaunchProfile:
    """The same work done by so many blocks; the share of counted blocks stays."""
    counted_ratio = profile.blocks_counted / max(1, profile.config.grid.count)
    config = replace(profile.config, grid=Dim3(block_count))
    return replace(profile, config=config, blocks_counted=max(1, round(block_count * counted_ratio)))


def _in_fewer_requests(access: LineAccess, ratio: float) -> LineAccess:
    """Fuller warps issue fewer requests for the same sectors."""
    wavefronts = None if access.wavefronts is None else math.ceil(access.wavefronts * ratio)
    ideal = None if access.ideal_wavefronts is None else math.ceil(access.ideal_wavefronts * ratio)
    return replace(access, requests=math.ceil(access.requests * ratio), wavefronts=wavefronts, ideal_wavefronts=ideal)


def _in_fewer_warps(line: LineInstructions, ratio: float) -> LineInstructions:
    if line.warp_mix is None:
        return line
    mix = InstructionMix(**{f.name: math.ceil(getattr(line.warp_mix, f.name) * ratio) for f in fields(line.warp_mix)})
    return replace(line, warp_mix=mix)


def _resident(occupancy: Occupancy, threads: int, resources: KernelResources | None) -> Occupancy:
    """What an SM holds of blocks of another size: as many warps as now, or more where only the block stood in the way."""
    warps_per_block = math.ceil(threads / _WARP_LANES)
    warps = occupancy.active_warps_per_sm
    if occupancy.limiter in ("blocks", "threads", "none"):
        warps = min(occupancy.max_warps_per_sm, _register_warps(occupancy, resources))
    blocks = max(1, min(_MOST_BLOCKS_PER_SM, warps // warps_per_block))
    return replace(occupancy, active_warps_per_sm=blocks * warps_per_block, blocks_per_sm=blocks)


def _register_warps(occupancy: Occupancy, resources: KernelResources | None) -> int:
    if resources is None:
        return occupancy.max_warps_per_sm
    granules = math.ceil(max(1, resources.registers_per_thread) * _WARP_LANES / _REGISTER_GRANULE)
    return _REGISTERS_PER_SM // (granules * _REGISTER_GRANULE)
