"""What takes a launch's time, in lines for a prompt: the performance model's terms, the instructions by class, what bounds residency.

Example::

    limit_notes(profile, resources, architecture, target)
    # ("Predicted 2.22 µs a launch on h200, limited by instruction issue (81 % of that time); nothing was timed", …)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from assistant.build.occupancy import occupancy
from assistant.measure.calibration import SECTOR_BYTES
from assistant.measure.model import predict
from assistant.model.build import KernelResources, Occupancy
from assistant.model.device import Architecture, Target
from assistant.model.profile import LaunchProfile
from assistant.profile.quantity import format_quantity
from assistant.profile.summary import summarize
from assistant.profile.wording import percent

__all__ = ["RESIDENT", "limit_notes"]

RESIDENT = "resident at most"
"""How the line on residency begins."""

_MOST_SHARES = 6
_SHOWN_SHARE_RATIO = 0.01


def limit_notes(
    profile: LaunchProfile, resources: KernelResources | None, architecture: Architecture, target: Target, array_bytes: int = 0
) -> tuple[str, ...]:
    """Notes on one launch; without a compiler's report there is none on residency, without machine code none on instructions.

    ``array_bytes``: of all arrays that it is passed; 0 where that is not known.
    """
    resident = None if resources is None else _resident(profile, resources, architecture)
    summary = summarize(predict(profile, resources, resident, target))
    shares = [f"{share.title} {percent(share.ratio)}" for share in summary.shares if share.ratio >= _SHOWN_SHARE_RATIO][:_MOST_SHARES]
    return (
        summary.sentence,
        f"busy share of that time, by the performance model (they overlap): {', '.join(shares)}",
        *_instructions(profile),
        *_floor(profile, target, array_bytes),
        *([] if resident is None else [_residency(resident, profile.config.grid.count, target)]),
    )


def _resident(profile: LaunchProfile, resources: KernelResources, architecture: Architecture) -> Occupancy:
    return occupancy(
        architecture,
        threads_per_block=profile.config.block.count,
        registers_per_thread=resources.registers_per_thread,
        shared_bytes=resources.static_shared_bytes + profile.config.shared_bytes,
    )


def _instructions(profile: LaunchProfile) -> tuple[str, ...]:
    """Thread-level instructions of the launch by class, most first."""
    counts = Counter[str]()
    for line in profile.instructions:
        counts.update(asdict(line.mix))
    shown = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.most_common() if count)
    return (f"instructions of all threads, from machine code and counted executions ({profile.device}): {shown}",) if shown else ()


def _floor(profile: LaunchProfile, target: Target, array_bytes: int) -> tuple[str, ...]:
    """What the launch would take if its bytes, or its floating-point instructions, were all: how far a rewrite may come. Where only some
    blocks were counted, what they share does not show how much all of them touch: then the arrays stand for it."""
    sectors = profile.unique_sectors
    size_bytes, what = (array_bytes, "bytes of arrays, once,") if sectors is None else (sectors * SECTOR_BYTES, "distinct bytes")
    is_small = size_bytes <= target.l2_bytes
    rate, where = (target.l2_bytes_per_s, "L2's full rate") if is_small else (target.dram_bytes_per_s, "DRAM's full rate")
    floors = {f"{size_bytes:,} {what} at {where}": size_bytes / rate} if size_bytes else {}
    for name, lanes in (("fp32", target.fp32_lanes_per_sm), ("fp64", target.fp64_lanes_per_sm)):
        count = sum(getattr(line.mix, name) for line in profile.instructions)
        if count:
            floors[f"its {name} instructions at their full rate"] = count / (lanes * target.sm_count * target.clock_hz)
    least_s = _SHOWN_SHARE_RATIO * max(floors.values(), default=0.0)
    shown = "; ".join(f"{what}: {format_quantity(time_s, 's')}" for what, time_s in floors.items() if time_s >= least_s)
    return (f"floors, each as if there were nothing else: {shown}",) if shown else ()


def _residency(found: Occupancy, block_count: int, target: Target) -> str:
    limiter = "" if found.limiter == "none" else f", bounded by {found.limiter}"
    counts = f"{found.blocks_per_sm} blocks, {found.active_warps_per_sm} of {found.max_warps_per_sm} warps per SM"
    places = f"{found.blocks_per_sm * target.sm_count:,} blocks on the GPU, of {block_count:,} in the grid"
    return f"{RESIDENT}: {counts}{limiter}; {places} (occupancy rules of the architecture)"
