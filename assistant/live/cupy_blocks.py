"""The extents of CuPy's arrays while a cell ran, as its memory pool reports them; CuPy is never imported.

The pool takes allocations of what was asked for, rounded up to 512 bytes, and hands out parts of those that were given back. What the
cell asks for and gives back is known from a hook, the arrays from before it by themselves. Parts that touch one that was given back
meanwhile are left out: a launch may have used their place in another size. Example::

    blocks = ArrayBlocks()
    …                                # the user's Python, on this thread
    extents = blocks.end()
"""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from typing import Any

from assistant.workload.narrow import Extent

__all__ = ["ArrayBlocks"]

_UNIT_BYTES = 512
"""What the pool rounds up to (CuPy, ``cupy/cuda/memory.pyx``, ``ALLOCATION_UNIT_SIZE``)."""
_UNKNOWN = (AttributeError, KeyError, TypeError, ValueError, RuntimeError)
"""What comes of a CuPy whose pool is another one."""


class ArrayBlocks:
    """Begun where it is made, by ``cupy.cuda.MemoryHook``, which hears of its own thread only.

    Of a CuPy that is first imported in the cell, or has it otherwise, nothing is known: the user's cell runs all the same.
    """

    def __init__(self) -> None:
        self._log = _PoolLog()
        self._hook: Any = None
        cupy: Any = sys.modules.get("cupy")
        if cupy is not None:
            with suppress(*_UNKNOWN):
                self._hook = _hook(cupy, self._log).__enter__()

    def end(self) -> tuple[Extent, ...]:
        """Parts that were the same from when they were given out until now; none without CuPy."""
        if self._hook is None:
            return ()
        try:
            self._hook.__exit__()
            used = {**_parts_of_arrays(sys.modules["cupy"]), **self._log.given_bytes}
        except _UNKNOWN:
            return ()
        parts = (Extent(address, size_bytes) for address, size_bytes in sorted(used.items()))
        return tuple(part for part in parts if not any(part.overlaps(gone) for gone in self._log.gone))


class _PoolLog:
    """What the pool handed out and took back."""

    def __init__(self) -> None:
        self.given_bytes: dict[int, int] = {}
        """What was asked for, by the address of what is still in use."""
        self.gone: set[Extent] = set()

    def give(self, address: int, size_bytes: int) -> None:
        if address:  # else it failed
            self.given_bytes[address] = size_bytes

    def take_back(self, address: int, size_bytes: int) -> None:
        self.given_bytes.pop(address, None)
        self.gone.add(Extent(address, size_bytes))


def _hook(cupy: Any, log: _PoolLog) -> Any:
    class Hook(cupy.cuda.MemoryHook):
        name = "kernelopt"

        def malloc_postprocess(self, *, size: int, mem_ptr: int, **_: object) -> None:
            log.give(mem_ptr, size)

        def free_postprocess(self, *, mem_ptr: int, mem_size: int, **_: object) -> None:
            log.take_back(mem_ptr, mem_size)

    return Hook()


def _parts_of_arrays(cupy: Any) -> dict[int, int]:
    """Bytes by address of what the pool keeps for arrays that are there."""
    sizes: dict[int, int] = {}
    owned: dict[int, int] = {}
    for array in [one for one in gc.get_objects() if issubclass(type(one), cupy.ndarray)]:
        memory = array.data.mem
        if not isinstance(memory, cupy.cuda.memory.PooledMemory):
            continue
        sizes[memory.ptr] = memory.size
        rest_bytes = memory.size - array.nbytes
        if array.base is None and array.data.ptr == memory.ptr and 0 <= rest_bytes < _UNIT_BYTES:
            owned[memory.ptr] = max(array.nbytes, owned.get(memory.ptr, 0))
    return {**sizes, **owned}
