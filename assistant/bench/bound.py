"""How fast an algorithm can be on a device at all: its compulsory bytes at the bandwidth, its operations at the peak, whichever is more.

Example::

    bound_of(task.requirements, target("h200")).time_s
"""

from __future__ import annotations

from typing import Literal

from assistant.bench.task import Requirements
from assistant.model.device import Target
from assistant.record import Record

__all__ = ["Bound", "bound_of"]

_PER_LANE = 2
"""Operations of a lane and clock: a fused multiply-add has two (CUDA C++ Programming Guide, Arithmetic Instructions); so have an integer
multiply-add and an addition of three numbers."""


class Bound(Record):
    """Least time of an algorithm on one device."""

    time_s: float
    by: Literal["DRAM", "L2", "float", "double", "int"]
    """What the time is spent on: a memory's bandwidth, or the operations of a type."""
    is_in_steps: bool
    """Whether every step of the algorithm is taken to read and write its fields."""
    alone_s: float
    """The same if steps were joined; ``time_s`` where there are none."""
    all_from_dram_s: float | None = None
    """Time of all bytes at DRAM's bandwidth, where they are what the time is spent on; None where L2 can hold them."""


def bound_of(needed: Requirements, target: Target) -> Bound:
    """By the target's bandwidths and its peak rate."""
    lanes = {"float": target.fp32_lanes_per_sm, "double": target.fp64_lanes_per_sm, "int": target.integer_lanes_per_sm}
    compute_s = needed.operation_count / (_PER_LANE * lanes[needed.arithmetic] * target.sm_count * target.clock_hz)
    is_in_steps = needed.step_bytes is not None and needed.size_bytes > 0
    passes = (needed.step_bytes or 0.0) / needed.size_bytes if is_in_steps else 1.0
    through_l2_s = needed.size_bytes / target.l2_bytes_per_s
    moved_s = max(through_l2_s, _from_dram_bytes(needed, target) / target.dram_bytes_per_s)
    memory: Literal["DRAM", "L2"] = "DRAM" if moved_s > through_l2_s else "L2"
    is_by_bytes = passes * moved_s >= compute_s
    all_from_dram_s = passes * needed.size_bytes / target.dram_bytes_per_s
    return Bound(
        time_s=max(passes * moved_s, compute_s),
        by=memory if is_by_bytes else needed.arithmetic,
        is_in_steps=is_in_steps,
        alone_s=max(moved_s, compute_s),
        all_from_dram_s=all_from_dram_s if is_by_bytes and needed.size_bytes > target.l2_bytes else None,
    )


def _from_dram_bytes(needed: Requirements, target: Target) -> float:
    """The bound of one pass over the data: as much as L2 holds may have been there before, or stay there."""
    return max(0.0, needed.size_bytes - target.l2_bytes)
