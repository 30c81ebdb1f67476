"""Roofline of a launch: where it stands and which ceilings lie above it; points for a renderer.

Work is counted in operations (a fused multiply-add instruction counts two), traffic in the bytes the model says each level
moves. Without machine code there is no operation count and therefore no roofline. Example::

    roofline(profile, predicted, target).points[0].intensity   # operations per DRAM byte
"""

from __future__ import annotations

from assistant.model.comparison import PredictedTime
from assistant.model.device import Target
from assistant.model.profile import LaunchProfile
from assistant.model.roofline import Ceiling, Point, Roofline

__all__ = ["Ceiling", "Point", "Roofline", "roofline"]

_SECTOR_BYTES = 32
_OPERATIONS_PER_INSTRUCTION = 2
"""Upper bound: a fused multiply-add does two operations; the class counts do not distinguish it from an addition."""


def roofline(profile: LaunchProfile, predicted: PredictedTime, target: Target) -> Roofline:
    """Points for DRAM, L2 and L1 where they move anything, and the target's ceilings."""
    ceilings = _ceilings(target)
    operations, pipe = _operations(profile)
    if not operations:
        return Roofline((), ceilings, target.name)
    peak = next(c for c in ceilings if c.name == pipe)
    slopes = {c.name: c for c in ceilings if c.bytes_per_s is not None}
    points: list[Point] = []
    for level, moved_bytes in _moved_bytes(predicted):
        if moved_bytes > 0:
            intensity = operations / moved_bytes
            bound = min(slopes[level].at(intensity), peak.at(intensity))
            points.append(Point(level, intensity, operations / predicted.time_s, bound))
    return Roofline(tuple(points), ceilings, target.name)


def _ceilings(target: Target) -> tuple[Ceiling, ...]:
    device_clocks = target.clock_hz * target.sm_count
    per_lane = device_clocks * _OPERATIONS_PER_INSTRUCTION
    return (
        Ceiling("DRAM", target.dram_bytes_per_s, None),
        Ceiling("L2", target.l2_bytes_per_s, None),
        Ceiling("L1", target.l1_bytes_per_clock_per_sm * device_clocks, None),
        Ceiling("fp32", None, target.fp32_lanes_per_sm * per_lane),
        Ceiling("fp64", None, target.fp64_lanes_per_sm * per_lane),
        Ceiling("half", None, target.half_lanes_per_sm * per_lane),
    )


def _operations(profile: LaunchProfile) -> tuple[float, str]:
    """(operations of the whole grid, the pipe that does most of them)."""
    mixes = [line.mix for line in profile.instructions]
    counts = {
        "fp32": float(sum(m.fp32 for m in mixes)),
        "fp64": float(sum(m.fp64 for m in mixes)),
        "half": 2.0 * sum(m.half for m in mixes),
    }
    pipe = max(counts, key=lambda name: counts[name])
    return sum(counts.values()) * _OPERATIONS_PER_INSTRUCTION, pipe


def _moved_bytes(predicted: PredictedTime) -> tuple[tuple[str, float], ...]:
    """Bytes per level as the model's terms state them."""
    inputs = {term.name: {name: value for name, value, _ in term.inputs} for term in predicted.terms}
    l2 = inputs.get("l2", {})
    return (
        ("DRAM", inputs.get("dram", {}).get("DRAM bytes", 0.0)),
        ("L2", (l2.get("L2 load sectors", 0.0) + l2.get("L2 store sectors", 0.0)) * _SECTOR_BYTES),
        ("L1", inputs.get("l1", {}).get("L1 sectors", 0.0) * _SECTOR_BYTES),
    )
