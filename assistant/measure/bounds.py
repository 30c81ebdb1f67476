"""Gains that cannot be: a time below what the touched bytes need.

Example::

    quarantine(comparison, bound_ratio(before_s=1e-4, least_after_s=least_time_s(profile, target)))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.measure import calibration as c
from assistant.model.comparison import CaseSpeed, Comparison, SpeedOutcome
from assistant.model.device import Target
from assistant.model.profile import LaunchProfile
from assistant.model.timing import MeasuredPeaks
from assistant.record import Record

__all__ = ["Quarantine", "bound_ratio", "least_time_s", "quarantine", "quarantine_cases", "with_measured"]

_PEAK_TOLERANCE_RATIO = 0.05
"""A measured peak may be so much too low: our own reading kernels need not be the best there are."""


class Quarantine(Record):
    """A gain that was not believed."""

    comparison: Comparison
    """The same numbers, outcome INCONCLUSIVE."""
    reason: str


def least_time_s(profile: LaunchProfile, target: Target) -> float | None:
    """Seconds to move every distinct byte once at L2's bandwidth, and what L2 cannot keep at DRAM's.

    L2 keeps a footprint that fits there. Of a larger one it may keep bytes that were written, as many as it holds: they go to DRAM
    when the kernel has ended. None when distinct sectors were not tracked. Sampled counts bound only the counted blocks and are not
    scaled up.
    """
    if profile.unique_sectors is None:
        return None
    footprint_bytes = profile.unique_sectors * c.SECTOR_BYTES
    through_l2_s = footprint_bytes / target.l2_bytes_per_s
    if footprint_bytes <= target.l2_bytes:
        return through_l2_s
    written_sectors = profile.total("global store", "sectors") + profile.total("global atomic", "sectors")
    kept_bytes = min(target.l2_bytes, written_sectors * c.SECTOR_BYTES)
    return max(through_l2_s, (footprint_bytes - kept_bytes) / target.dram_bytes_per_s)


def bound_ratio(before_s: float, least_after_s: float) -> float:
    """The most that any version can gain over ``before_s``."""
    return before_s / least_after_s


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


def quarantine_cases(comparison: Comparison, least_s: Mapping[str, float]) -> Comparison | Quarantine:
    """The comparison itself, or a quarantine when B is faster on some shape than its bytes can be moved.

    ``least_s``: least seconds of B by shape, from measured peaks; shapes without one are not bounded.
    """
    impossible = [case for case in comparison.cases if _is_impossible(case, least_s.get(case.shape))]
    if not impossible:
        return comparison
    worst = min(impossible, key=lambda case: (case.after_s or 0.0) / least_s[case.shape])
    names = {case.shape for case in impossible}
    cases = tuple(replace(case, outcome=SpeedOutcome.INCONCLUSIVE) if case.shape in names else case for case in comparison.cases)
    return Quarantine(
        replace(comparison, outcome=SpeedOutcome.INCONCLUSIVE, cases=cases),
        f"{worst.shape}: B took {(worst.after_s or 0.0) * 1e6:.3g} µs, less than the {least_s[worst.shape] * 1e6:.3g} µs that its bytes "
        "need at this device's peak bandwidth: part of the work is missing or the timing is wrong",
    )


def _is_impossible(case: CaseSpeed, least_s: float | None) -> bool:
    if least_s is None or case.before_s is None or case.low is None or case.outcome is not SpeedOutcome.FASTER:
        return False
    return case.low > bound_ratio(case.before_s, least_s / (1 + _PEAK_TOLERANCE_RATIO))


def with_measured(target: Target, peaks: MeasuredPeaks) -> Target:
    """The target with this device's own bandwidths: DRAM's as measured, for L2 the larger of what was measured here and the table's.

    How fast L2 delivers depends much on who reads what when, so one kernel's reading is no proof that others cannot be faster.
    """
    return replace(
        target,
        dram_bytes_per_s=peaks.dram_bytes_per_s,
        l2_bytes_per_s=max(peaks.l2_bytes_per_s, target.l2_bytes_per_s),
        source=f"{target.source}; bandwidths measured on this device: {peaks.method}",
    )
