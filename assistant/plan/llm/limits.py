"""What takes a launch's time, in lines for a prompt: the performance model's terms, the instructions by class, what bounds residency.

Example::

    limit_notes(profile, resources, architecture, target)
    # ("Predicted 2.22 µs a launch on h200, limited by instruction issue (81 % of that time); nothing was timed", …)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from assistant.build.occupancy import occupancy
from assistant.measure.model import predict
from assistant.model.build import KernelResources, Occupancy
from assistant.model.device import Architecture, Target
from assistant.model.profile import LaunchProfile
from assistant.profile.summary import summarize
from assistant.profile.wording import percent

__all__ = ["limit_notes"]

_MOST_SHARES = 6
_SHOWN_SHARE_RATIO = 0.01


def limit_notes(profile: LaunchProfile, resources: KernelResources | None, architecture: Architecture, target: Target) -> tuple[str, ...]:
    """Notes on one launch; without a compiler's report there is none on residency, without machine code none on instructions."""
    resident = None if resources is None else _resident(profile, resources, architecture)
    summary = summarize(predict(profile, resources, resident, target))
    shares = [f"{share.title} {percent(share.ratio)}" for share in summary.shares if share.ratio >= _SHOWN_SHARE_RATIO][:_MOST_SHARES]
    return (
        summary.sentence,
        f"busy share of that time, by the performance model (they overlap): {', '.join(shares)}",
        *_instructions(profile),
        *([] if resident is None else [_residency(resident)]),
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


def _residency(found: Occupancy) -> str:
    limiter = "" if found.limiter == "none" else f", bounded by {found.limiter}"
    counts = f"{found.blocks_per_sm} blocks, {found.active_warps_per_sm} of {found.max_warps_per_sm} warps per SM"
    return f"resident at most: {counts}{limiter} (occupancy rules of the architecture)"
