"""The timing's own kernels, loaded on one GPU and ready to be started. Knows the driver, nothing of what is timed.

Example::

    kit = Kit(driver, lambda name: driver.function(driver.load(cubin), name))     # cubin of kit.cu
    kit.shut(); driver.launch(kit.gate); …; kit.open()                            # see gate.py
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from assistant.device.driver import Address, Driver, FunctionHandle, PreparedLaunch
from assistant.model.launch import Dim3, LaunchConfig

__all__ = ["COLD_L2_FACTOR", "KIT_SOURCE", "Kit", "pointer", "u32", "u64"]

KIT_SOURCE = Path(__file__).with_name("kit.cu")

GATE_LIMIT_NS = 2_000_000_000
"""A gate that is not opened opens by itself after this: longer than any queue takes to fill, shorter than a display's watchdog."""
COLD_L2_FACTOR = 2
"""Bytes read to empty L2, in sizes of it, and bytes of buffers that calls go through so that none finds its own."""
_ONE_THREAD = LaunchConfig(Dim3(1), Dim3(1))
_THREADS = 256
_BLOCKS_PER_SM = 8
"""Enough warps to fill an SM (2,048 threads on all supported devices but sm_86 and sm_89, which have 1,536)."""


def pointer(address: int) -> bytes:
    """A pointer argument's bytes."""
    return struct.pack("<Q", address)


def u64(value: int) -> bytes:
    return struct.pack("<Q", value)


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


class Kit:
    """Gate, empty kernel, L2 sweep and comparison of a worker."""

    def __init__(self, driver: Driver, function: Callable[[str], FunctionHandle]) -> None:
        """``function``: a kernel of ``kit.cu`` by its name."""
        self.driver = driver
        self._function = function
        facts = driver.facts()
        self.sm_count = facts.sm_count
        self.l2_bytes = facts.l2_bytes
        self._flags = driver.allocate_host(8)
        self._sweep_bytes = max(facts.l2_bytes * COLD_L2_FACTOR, 1 << 20)
        self._swept = driver.allocate(self._sweep_bytes)
        self._sink = driver.allocate(64)
        self._differences = driver.allocate(8)
        driver.fill(self._swept, 1, self._sweep_bytes)
        driver.fill(self._sink, 0, 64)
        arguments = (pointer(self._flags.address), pointer(self._flags.address + 4), u64(GATE_LIMIT_NS))
        self.gate = self.prepared("kernelopt_gate", _ONE_THREAD, arguments)
        self.empty = self.prepared("kernelopt_empty", LaunchConfig(Dim3(1), Dim3(32)), ())
        self.sweep = self.prepared(
            "kernelopt_read", self.filling(), (pointer(self._swept), u64(self._sweep_bytes // 16), pointer(self._sink))
        )
        driver.synchronize()

    @property
    def sink(self) -> Address:
        """64 bytes that kernels write to and nothing reads."""
        return self._sink

    def filling(self, blocks_per_sm: int = _BLOCKS_PER_SM, threads: int = _THREADS) -> LaunchConfig:
        """A grid that fills the device once."""
        return LaunchConfig(Dim3(self.sm_count * blocks_per_sm), Dim3(threads))

    def prepared(self, name: str, config: LaunchConfig, arguments: Sequence[bytes]) -> PreparedLaunch:
        """One of the kernels of ``kit.cu``."""
        return self.driver.prepare(self._function(name), config, arguments)

    def spin(self, clocks: int) -> PreparedLaunch:
        """Every SM busy for so many of its clocks."""
        return self.prepared("kernelopt_spin", self.filling(1, 32), (struct.pack("<q", clocks),))

    def shut(self) -> None:
        """The gate holds whatever is queued behind it from now on; nothing may be queued behind the last one any more."""
        self._flags.view[:] = bytes(8)

    def open(self) -> None:
        self._flags.view[0:4] = u32(1)

    @property
    def was_late(self) -> bool:
        """The gate opened by itself before `open` was called: the queue behind it ran while it was filled."""
        return self._flags.view[4] != 0

    def differ(self, a: Address, b: Address, size_bytes: int) -> bool:
        """Whether a byte differs; waits for all that is queued."""
        self.driver.fill(self._differences, 0, 8)
        self.driver.launch(self.compare(a, b, size_bytes, self._differences))
        return any(self.driver.read(self._differences, 8))

    def compare(self, a: Address, b: Address, size_bytes: int, differences: Address) -> PreparedLaunch:
        """Adds the number of bytes that differ to the u64 at ``differences``."""
        arguments = (pointer(a), pointer(b), u64(size_bytes), pointer(differences))
        return self.prepared("kernelopt_compare", self.filling(), arguments)
