"""Gains that cannot be: a time below what the touched bytes need, or a speed-up above Amdahl's share.

Example::

    quarantine(comparison, bound_ratio(before_s=1e-4, least_after_s=least_time_s(profile, target)))
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.measure import calibration as c
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.device import Target
from assistant.model.profile import LaunchProfile

__all__ = ["Quarantine", "amdahl_ratio", "bound_ratio", "least_time_s", "quarantine"]


@dataclass(frozen=True)
class Quarantine:
    """A gain that was not believed."""

    comparison: Comparison
    """The same numbers, outcome INCONCLUSIVE."""
    reason: str


def least_time_s(profile: LaunchProfile, target: Target) -> float | None:
    """Seconds to move every distinct byte once at full DRAM bandwidth, or L2's when the footprint fits there.

    None when distinct sectors were not tracked. Sampled counts bound only the counted blocks and are not scaled up.
    """
    if profile.unique_sectors is None:
        return None
    footprint_bytes = profile.unique_sectors * c.SECTOR_BYTES
    peak = target.l2_bytes_per_s if footprint_bytes <= target.l2_bytes else target.dram_bytes_per_s
    return footprint_bytes / peak


def bound_ratio(before_s: float, least_after_s: float) -> float:
    """The most that any version can gain over ``before_s``."""
    return before_s / least_after_s


def amdahl_ratio(changed_ratio: float) -> float | None:
    """The most that removing ``changed_ratio`` (0..1) of the time can gain; None when all of it may go."""
    return 1 / (1 - changed_ratio) if changed_ratio < 1 else None


def quarantine(comparison: Comparison, most_ratio: float) -> Comparison | Quarantine:
    """The comparison itself, or a quarantine when even its lower bound gains more than is possible."""
    claimed = comparison.low if comparison.low is not None else comparison.ratio
    if comparison.outcome is not SpeedOutcome.FASTER or claimed <= most_ratio:
        return comparison
    return Quarantine(
        replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE),
        f"a gain of {claimed:.2f} is more than the {most_ratio:.2f} that the bytes touched allow: part of the work is missing "
        "or the timing is wrong",
    )
