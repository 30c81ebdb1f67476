"""How near a launch comes to the speed of light: least time its own data and arithmetic take at the target's peaks / predicted time.

The least time is the longest of: every distinct sector moved once at the L2's bandwidth, what of that must come from DRAM at DRAM's
bandwidth, and the arithmetic instructions at the peak rate of their pipe with every lane busy. Peaks are the target's nominal ones
(``assistant.measure.targets``), with no allowance for what is reachable in practice. Integer work, conversions, repeated or
uncoalesced accesses do not count: they are what a better kernel may do without. Distinct sectors are not counted by direction, so data
that is read and written counts once: the share is at least what is said. Example::

    speed_of_light(profile, predicted, target)     # SpeedOfLight(ratio=0.23, limit="dram")
"""

from __future__ import annotations

from assistant.model.comparison import PredictedTime
from assistant.model.device import Target
from assistant.model.profile import LaunchProfile
from assistant.record import Record

__all__ = ["SpeedOfLight", "speed_of_light"]

_SECTOR_BYTES = 32


class SpeedOfLight(Record):
    """Least time / predicted or measured time, at least."""

    ratio: float
    """0..1; the launch overhead is part of the predicted time."""
    limit: str
    """What the least time is spent on: ``dram``, ``l2``, ``fp32``, ``fp64``, ``half`` or ``special``."""


def speed_of_light(
    profile: LaunchProfile, predicted: PredictedTime, target: Target, measured_s: float | None = None
) -> SpeedOfLight | None:
    """None where the least time is not known: no machine code, distinct sectors not tracked, tensor cores (not modelled), or a time
    below it.

    ``measured_s`` stands in the place of the predicted time where there is one.
    """
    has_products = any(line.mix.tensor or line.mix.double_tensor for line in profile.instructions)
    if not profile.instructions or profile.unique_sectors is None or has_products:
        return None
    least_s = {**_memory_s(profile, predicted, target), **_arithmetic_s(profile, target)}
    limit = max(least_s, key=lambda name: least_s[name])
    ratio = least_s[limit] / (predicted.time_s if measured_s is None else measured_s)
    return SpeedOfLight(ratio, limit) if 0 < ratio <= 1 else None


def _memory_s(profile: LaunchProfile, predicted: PredictedTime, target: Target) -> dict[str, float]:
    """Each distinct byte once; of DRAM at most what the model says it has to deliver, the rest stays in L2 from launch to launch."""
    distinct_bytes = float((profile.unique_sectors or 0) * _SECTOR_BYTES)
    dram = predicted.term("dram")
    dram_bytes = next((value for name, value, _ in dram.inputs if name == "DRAM bytes"), 0.0) if dram is not None else 0.0
    return {"dram": min(dram_bytes, distinct_bytes) / target.dram_bytes_per_s, "l2": distinct_bytes / target.l2_bytes_per_s}


def _arithmetic_s(profile: LaunchProfile, target: Target) -> dict[str, float]:
    """Thread-level instructions spread over all lanes of the device."""
    mixes = [line.mix for line in profile.instructions]
    clocks_per_s = target.clock_hz * target.sm_count
    pipes = {
        "fp32": (sum(m.fp32 for m in mixes), target.fp32_lanes_per_sm),
        "fp64": (sum(m.fp64 for m in mixes), target.fp64_lanes_per_sm),
        "half": (sum(m.half for m in mixes), target.half_lanes_per_sm / 2),
        "special": (sum(m.special for m in mixes), target.special_lanes_per_sm),
    }
    return {name: count / lanes / clocks_per_s for name, (count, lanes) in pipes.items()}
