"""Limits per compute capability, and the spelling of architecture names.

Source of every number: CUDA C++ Programming Guide 13.0, section "Compute Capabilities", table "Technical Specifications per
Compute Capability" (threads, blocks, registers, shared memory); allocation units: the occupancy calculator
(``cuda_occupancy.h``, CUDA 13). Example::

    architecture("sm_90").max_warps_per_sm   # 64
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.model.device import Architecture

__all__ = ["ARCHITECTURES", "architecture", "compiled_for"]

_KIB = 1024
_REGISTERS_PER_SM = 64 * _KIB
_MAX_REGISTERS_PER_THREAD = 255
_REGISTER_ALLOCATION_UNIT = 256
"""Registers per warp come in multiples of this (``cudaOccRegAllocationGranularity``)."""
_SUBPARTITIONS = 4
"""Warps of a block are dealt to this many scheduler partitions (``cudaOccSubPartitionsPerMultiprocessor``)."""


def _volta(name: str, threads: int, blocks: int, shared_kib: int) -> Architecture:
    return _architecture(name, threads, blocks, shared_kib, shared_kib, unit_bytes=256, reserved_bytes=0)


def _ampere(name: str, threads: int, blocks: int, shared_kib: int) -> Architecture:
    """From compute capability 8.0 on the system keeps 1 KiB of shared memory per resident block."""
    return _architecture(name, threads, blocks, shared_kib, shared_kib - 1, unit_bytes=128, reserved_bytes=_KIB)


def _architecture(
    name: str, threads: int, blocks: int, shared_kib: int, optin_kib: int, *, unit_bytes: int, reserved_bytes: int
) -> Architecture:
    return Architecture(
        name=name,
        max_threads_per_block=1024,
        max_threads_per_sm=threads,
        max_blocks_per_sm=blocks,
        max_registers_per_thread=_MAX_REGISTERS_PER_THREAD,
        registers_per_sm=_REGISTERS_PER_SM,
        register_allocation_unit=_REGISTER_ALLOCATION_UNIT,
        warp_allocation_granularity=_SUBPARTITIONS,
        shared_bytes_per_sm=shared_kib * _KIB,
        shared_bytes_per_block_default=48 * _KIB,
        shared_bytes_per_block_optin=optin_kib * _KIB,
        shared_allocation_unit_bytes=unit_bytes,
        shared_reserved_bytes_per_block=reserved_bytes,
    )


ARCHITECTURES: tuple[Architecture, ...] = (
    _volta("sm_70", 2048, 32, 96),
    _volta("sm_72", 2048, 32, 96),
    _volta("sm_75", 1024, 16, 64),
    _ampere("sm_80", 2048, 32, 164),
    _ampere("sm_86", 1536, 16, 100),
    _ampere("sm_87", 1536, 16, 164),
    _ampere("sm_89", 1536, 24, 100),
    _ampere("sm_90", 2048, 32, 228),
    _ampere("sm_100", 2048, 32, 228),
    _ampere("sm_103", 2048, 32, 228),
    _ampere("sm_110", 1536, 24, 228),
    _ampere("sm_120", 1536, 24, 100),
    _ampere("sm_121", 1536, 24, 100),
)
"""Oldest first."""

_WITH_OWN_INSTRUCTIONS = frozenset({"sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"})
"""Each has a name with an ``a``, for which nvcc takes instructions that no other one need have (nvcc manual 13.0, "GPU Feature List")."""
_OWN_INSTRUCTIONS = re.compile(
    r"\b(?:wgmma|warpgroup_\w+|setmaxnreg|tcgen05|cutlass|cute|__CUDA_ARCH_FEAT_SM\d+_ALL|__CUDA_ARCH_SPECIFIC__)\b"
)
"""Instructions (PTX ISA 9.0, "wgmma.mma_async", "setmaxnreg", "tcgen05"), libraries that use them, and macros that ask for them."""
_NAME = re.compile(r"(?:sm|compute)_(\d{2,3})[af]?")


def architecture(name: str) -> Architecture | None:
    """Limits of ``sm_90``, ``sm_90a``, ``compute_90``; None for one that is not in the table."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    plain = f"sm_{match[1]}"
    return next((a for a in ARCHITECTURES if a.name == plain), None)


def compiled_for(name: str, texts: Iterable[str]) -> str:
    """``sm_90a`` for ``sm_90`` where one of the texts uses instructions that this architecture alone has; else the name as it is."""
    if name not in _WITH_OWN_INSTRUCTIONS or not any(_OWN_INSTRUCTIONS.search(text) for text in texts):
        return name
    return f"{name}a"
