"""What device memory holds, found out where it lies: whether two ranges are equal, and a checksum of one. Nothing is copied to the host.

Example::

    with closing(MemoryChecks(state, helpers)) as checks:
        checks.are_equal(address, other, size_bytes)
        checks.checksum(address, size_bytes)
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from assistant.device.driver import Address, DeviceError
from assistant.device.gpu_state import GpuState
from assistant.device.timing.kit import u64
from assistant.model.launch import Dim3, LaunchConfig

__all__ = ["MemoryChecks"]

_THREADS = 256
_BLOCKS_PER_SM = 8
_ANSWER_BYTES = 8


class MemoryChecks:
    """Of one device; both answers wait for all that is queued on the main stream."""

    def __init__(self, state: GpuState, helpers: Path) -> None:
        """``helpers``: the cubin of the worker's own kernels."""
        self._driver = state.driver
        self._config = LaunchConfig(Dim3(state.facts.sm_count * _BLOCKS_PER_SM), Dim3(_THREADS))
        self._compare = state.helper(helpers, "kernelopt_compare")
        self._sum = state.helper(helpers, "kernelopt_checksum")
        self._answer = self._driver.allocate(_ANSWER_BYTES)

    def are_equal(self, one: Address, other: Address, size_bytes: int) -> bool:
        self._driver.fill(self._answer, 0, _ANSWER_BYTES)
        arguments = (u64(one), u64(other), u64(size_bytes), u64(self._answer))
        self._driver.launch(self._driver.prepare(self._compare, self._config, arguments))
        return not any(self._driver.read(self._answer, _ANSWER_BYTES))

    def checksum(self, address: Address, size_bytes: int) -> bytes:
        """64 bits, by which memory that changed without anybody's intention is known."""
        self._driver.fill(self._answer, 0, _ANSWER_BYTES)
        self._driver.launch(self._driver.prepare(self._sum, self._config, (u64(address), u64(size_bytes), u64(self._answer))))
        return self._driver.read(self._answer, _ANSWER_BYTES)

    def close(self) -> None:
        """Give the memory back."""
        with suppress(DeviceError):  # of a lost context, which frees all there is
            self._driver.free(self._answer)
