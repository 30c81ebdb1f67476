"""Resident warps of a launch, by the rules of CUDA's occupancy calculator (``cuda_occupancy.h``, CUDA 13).

Example::

    occupancy(architecture("sm_90"), threads_per_block=256, registers_per_thread=64, shared_bytes=0).ratio   # 0.5
"""

from __future__ import annotations

from assistant.model.build import Occupancy
from assistant.model.device import Architecture

__all__ = ["occupancy"]


def occupancy(architecture: Architecture, *, threads_per_block: int, registers_per_thread: int, shared_bytes: int) -> Occupancy:
    """Occupancy of blocks with ``shared_bytes`` of static plus dynamic shared memory; zero blocks if one does not fit."""
    if threads_per_block < 1:
        raise ValueError(f"threads_per_block is {threads_per_block}, expected at least 1")
    warps_per_block = _divide_up(threads_per_block, architecture.warp_size)
    limits = (
        ("threads", _blocks_by_threads(architecture, threads_per_block, warps_per_block)),
        ("registers", _blocks_by_registers(architecture, warps_per_block, registers_per_thread)),
        ("shared", _blocks_by_shared(architecture, shared_bytes)),
        ("blocks", architecture.max_blocks_per_sm),
    )
    limiter, blocks = min(limits, key=lambda limit: limit[1])
    active_warps = blocks * warps_per_block
    full = architecture.max_warps_per_sm
    return Occupancy(active_warps, full, blocks, "none" if active_warps == full else limiter)


def _blocks_by_threads(architecture: Architecture, threads: int, warps: int) -> int:
    if threads > architecture.max_threads_per_block:
        return 0
    return architecture.max_warps_per_sm // warps


def _blocks_by_registers(architecture: Architecture, warps: int, registers: int) -> int:
    """Registers go to warps inside a scheduler partition; a block is admitted as if it filled whole rounds of partitions."""
    if registers > architecture.max_registers_per_thread:
        return 0
    per_warp = _round_up(max(registers, 1) * architecture.warp_size, architecture.register_allocation_unit)
    partitions = architecture.warp_allocation_granularity
    if per_warp * _round_up(warps, partitions) > architecture.registers_per_sm:
        return 0
    resident_warps = architecture.registers_per_sm // partitions // per_warp * partitions
    return resident_warps // warps


def _blocks_by_shared(architecture: Architecture, shared_bytes: int) -> int:
    if shared_bytes > architecture.shared_bytes_per_block_optin:
        return 0
    asked = shared_bytes + architecture.shared_reserved_bytes_per_block
    if asked == 0:
        return architecture.max_blocks_per_sm
    return architecture.shared_bytes_per_sm // _round_up(asked, architecture.shared_allocation_unit_bytes)


def _divide_up(count: int, by: int) -> int:
    return -(-count // by)


def _round_up(count: int, multiple: int) -> int:
    return _divide_up(count, multiple) * multiple
