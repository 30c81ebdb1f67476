"""Grid, block and dynamic shared memory as a person gives them in Python, as a launch's configuration.

Example::

    dim3_of("block", (16, 16), "write --block 256")     # Dim3(16, 16, 1)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import SupportsIndex, cast

from assistant.errors import UsageError
from assistant.model.launch import Dim3, LaunchConfig

__all__ = ["dim3_of", "launch_config"]

_MOST_DIMENSIONS = 3
_MOST_BLOCKS = 2**31 - 1
"""Along the widest dimension of a grid (CUDA C++ Programming Guide, "Compute Capabilities")."""
_MOST_THREADS = 1024
"""Threads of a block (the same table)."""


def launch_config(grid: object, block: object, shared: object, written: str) -> LaunchConfig:
    """One number or up to three for ``grid`` and ``block``, bytes for ``shared``. Raises UsageError.

    ``written``: how a person gives an option here, for the remedy, with places for its name and value: ``--{name} {value}``.
    """
    threads = dim3_of("block", block, written)
    if threads.count > _MOST_THREADS:
        remedy = f"write {written.format(name='block', value=256)}, or another number up to {_MOST_THREADS}"
        raise UsageError(f"block: expected at most {_MOST_THREADS} threads, got {block!r}", remedy)
    blocks = dim3_of("grid", grid, written)
    shared_bytes = _whole(shared)
    if shared_bytes is None or shared_bytes < 0:
        raise UsageError(f"shared: expected a number of bytes, got {shared!r}", f"write {written.format(name='shared', value=4096)}")
    return LaunchConfig(blocks, threads, shared_bytes)


def dim3_of(name: str, value: object, written: str) -> Dim3:
    """Raises UsageError for what is no one to three positive whole numbers."""
    sizes = tuple(cast("Sequence[object]", value)) if isinstance(value, tuple | list) else (value,)
    whole = [size for size in map(_whole, sizes) if size is not None and 0 < size <= _MOST_BLOCKS]
    if len(whole) != len(sizes) or not 1 <= len(sizes) <= _MOST_DIMENSIONS:
        remedy = f"write {written.format(name=name, value=256)} or {written.format(name=name, value='(16,16)')}"
        raise UsageError(f"{name}: expected one to three positive whole numbers, got {value!r}", remedy)
    return Dim3(*whole)


def _whole(value: object) -> int | None:
    """A whole number of whichever library; None for what is none."""
    try:
        return operator.index(cast("SupportsIndex", value))
    except TypeError:
        return None
