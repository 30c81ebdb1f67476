"""Arguments that hold nothing but zeros, on which a check proves little: most wrong kernels make zeros of zeros, too."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from assistant.live.arrays import LiveArray
from assistant.live.binding import Bound
from assistant.model.source import Kernel
from assistant.workload.array_use import loaded

__all__ = ["zeros_note"]


def zeros_note(bound: Sequence[Bound], text: str, kernel: Kernel) -> tuple[str, ...]:
    """One sentence where no array that the kernel, which is in ``text``, loads has another value, in any of the launches."""
    names = [name for name in bound[0].arrays if name in loaded(text, kernel)] if bound else []
    if not names or not all(_is_zero(launch.arrays[name]) for launch in bound for name in names):
        return ()
    what = f"{names[0]} holds" if len(names) == 1 else f"{', '.join(names)} hold"
    return (f"{what} zeros alone, and {kernel.name} reads no other array: what is right on zeros may be wrong on other values; give some",)


def _is_zero(array: LiveArray) -> bool:
    """Not known, and so False, of an array on a GPU."""
    if not array.is_on_cpu or not array.size_bytes:
        return False
    held = (ctypes.c_ubyte * array.size_bytes).from_address(array.address)
    return not np.any(np.frombuffer(memoryview(held).cast("B"), np.uint8))
