"""Settings that cannot run, or that are sure to be slow, by what ptxas reports of them: left out before anything is run.

Example::

    why_not(resources, architecture("sm_90"), threads=512)    # "it needs 160 registers for each of 512 threads, more than an SM has"
"""

from __future__ import annotations

from assistant.build.occupancy import occupancy
from assistant.model.build import KernelResources
from assistant.model.device import Architecture

__all__ = ["why_not"]


def why_not(resources: KernelResources, architecture: Architecture, threads: int | None) -> str | None:
    """Why a kernel is not tried; ``threads`` of a block, where the launch is known."""
    shared, most = resources.static_shared_bytes, architecture.shared_bytes_per_block_default
    if shared > most:
        return f"it needs {shared:,} bytes of static shared memory, and a block may have {most:,}"
    if threads is None:
        return None
    if threads > architecture.max_threads_per_block:
        return f"its blocks have {threads:,} threads, and may have {architecture.max_threads_per_block:,}"
    registers = resources.registers_per_thread
    resident = occupancy(architecture, threads_per_block=threads, registers_per_thread=registers, shared_bytes=shared)
    return None if resident.blocks_per_sm else f"it needs {registers} registers for each of {threads:,} threads, more than an SM has"
