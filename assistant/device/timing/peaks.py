"""The most that this GPU was seen to do: bytes per second of DRAM and L2, multiply-adds per second. Takes about a second.

Bounds come from these, so each is the best of several tries: a peak that is measured too low would doubt a true gain. Example::

    measure_peaks(kit, "GPU-4f5b…", "580.159.04").dram_bytes_per_s     # 4.4e12 on an H200
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.device.driver import Address, DeviceError, PreparedLaunch
from assistant.device.timing.gate import GatedQueue, Span
from assistant.device.timing.kit import Kit, pointer, u32, u64
from assistant.model.timing import MeasuredPeaks

__all__ = ["measure_peaks"]

_DRAM_L2_FACTOR = 32
"""DRAM is read in pieces of this many times L2: at most one part in 32 can still be there."""
_L2_SHARES = (0.1, 0.2, 0.4)
"""Shares of L2 that are read again and again: how much of it is near enough to be quick differs (A100 and H100 have two halves)."""
_L2_REPEATS = 20
"""Repeats in one kernel, against one reading of the same: the difference has neither the kernel's start nor its first touch. Over hundreds
of repeats the rate rises beyond what is published (1.34e13 bytes/s on an H200), likely as blocks drift and ask for one line together."""
_TRIES = 5
_FMA_ROUNDS = 2000
_FMAS_PER_ROUND = 64
"""Multiply-adds of a thread, in ``kit.cu``."""
_MOST_MEMORY_SHARE = 0.25


def measure_peaks(kit: Kit, device_uuid: str, driver_version: str) -> MeasuredPeaks:
    """Peaks of the device that ``kit`` is on; raises DeviceError where they cannot be taken."""
    queue = GatedQueue(kit)
    try:
        return _measured(kit, queue, device_uuid, driver_version)
    finally:
        queue.close()


def _measured(kit: Kit, queue: GatedQueue, device_uuid: str, driver_version: str) -> MeasuredPeaks:
    return MeasuredPeaks(
        device_uuid=device_uuid,
        driver_version=driver_version,
        dram_bytes_per_s=_dram(kit, queue),
        l2_bytes_per_s=_l2(kit, queue),
        fp32_per_s=_fma(kit, queue, "kernelopt_fma32"),
        fp64_per_s=_fma(kit, queue, "kernelopt_fma64"),
        half2_per_s=_fma(kit, queue, "kernelopt_half2"),
        method=f"best of {_TRIES} calls each, between events behind a blocking kernel; DRAM: the better of reading and of copying "
        f"(read and written bytes) {_DRAM_L2_FACTOR} times L2's size; L2: the best of reading {min(_L2_SHARES):.0%} to "
        f"{max(_L2_SHARES):.0%} of its size {_L2_REPEATS} times over, less one time",
    )


def _dram(kit: Kit, queue: GatedQueue) -> float:
    free_bytes, _ = kit.driver.memory()
    size_bytes = min(kit.l2_bytes * _DRAM_L2_FACTOR, int(free_bytes * _MOST_MEMORY_SHARE)) // 32 * 32
    data = kit.driver.allocate(size_bytes)
    try:
        kit.driver.fill(data, 1, size_bytes)
        half = size_bytes // 2
        rates: list[float] = []
        for blocks in (4, 8, 16):
            grid = kit.filling(blocks)
            read = kit.prepared("kernelopt_read", grid, (pointer(data), u64(size_bytes // 16), pointer(kit.sink)))
            copy = kit.prepared("kernelopt_copy", grid, (pointer(data), pointer(data + half), u64(half // 16)))
            rates += [size_bytes / _best(queue, (read,)), 2 * half / _best(queue, (copy,))]
        return max(rates)
    finally:
        kit.driver.free(data)


def _l2(kit: Kit, queue: GatedQueue) -> float:
    most_bytes = math.floor(kit.l2_bytes * max(_L2_SHARES))
    data = kit.driver.allocate(most_bytes)
    try:
        kit.driver.fill(data, 1, most_bytes)
        return max(_l2_rate(kit, queue, data, share, blocks) for share in _L2_SHARES for blocks in (4, 8))
    finally:
        kit.driver.free(data)


def _l2_rate(kit: Kit, queue: GatedQueue, data: Address, share: float, blocks: int) -> float:
    grid = kit.filling(blocks)
    step_bytes = 16 * 4 * grid.thread_count
    size_bytes = max(1, math.floor(kit.l2_bytes * share / step_bytes)) * step_bytes
    if size_bytes > kit.l2_bytes * max(_L2_SHARES):
        return 0.0

    def best_s(repeats: int) -> float:
        arguments = (pointer(data), u64(size_bytes // 16), u32(repeats), pointer(kit.sink))
        return _best(queue, (kit.prepared("kernelopt_read_again", grid, arguments),))

    return size_bytes * (_L2_REPEATS - 1) / (best_s(_L2_REPEATS) - best_s(1))


def _fma(kit: Kit, queue: GatedQueue, name: str) -> float:
    """Multiply-adds of one thread each, per second; launch and start are part of the time, one part in a thousand."""
    grid = kit.filling(8)
    launch = kit.prepared(name, grid, (u32(_FMA_ROUNDS), pointer(kit.sink)))
    return grid.thread_count * float(_FMA_ROUNDS * _FMAS_PER_ROUND) / _best(queue, (launch,))


def _best(queue: GatedQueue, launches: Sequence[PreparedLaunch]) -> float:
    """Least seconds of ``_TRIES``, after one that warms up."""

    def start() -> None:
        for launch in launches:
            queue.driver.launch(launch)

    queue.times((Span(work=start),))
    times = queue.times((Span(work=start),) * _TRIES)
    if times is None:
        raise DeviceError("CUDA_ERROR_TIMEOUT", "the host was too slow to fill the queue", "measure_peaks")
    return min(times)
