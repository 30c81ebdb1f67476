"""A profile as a point: a bottleneck label and a vector of shares 0..1, so that memory can compare kernels.

The vector holds ratios only (no sizes, no names), so the same defect at another size lies nearby. Example::

    distance(signature(profile, occupancy, predicted), other)   # 0 = alike, 1 = nothing in common
"""

from __future__ import annotations

import math
from dataclasses import fields

from assistant.model.build import Occupancy
from assistant.model.comparison import PredictedTime
from assistant.model.profile import InstructionMix, LaunchProfile, Signature
from assistant.profile.bottleneck import bottleneck

__all__ = ["DIMENSIONS", "distance", "signature", "state_distance"]

_WARP_LANES = 32
_LABELS = frozenset({"dram", "l2", "l1", "shared", "issue", "fp32", "fp64", "conversion", "special", "latency"})
_LABEL_DISTANCE = 0.25
"""Share of the distance that a different bottleneck alone makes up (chosen: a quarter, so counters outweigh the label)."""

DIMENSIONS: tuple[str, ...] = (
    "load_waste",
    "store_waste",
    "conflict_waste",
    "load_reuse",
    "shared_share",
    "atomic_share",
    "local_share",
    "divergence",
    "occupancy",
    "fp64_share",
    "conversion_share",
    "integer_share",
    "memory_time_share",
    "compute_time_share",
    "latency_time_share",
)
"""Names in the order of ``Signature.vector``."""


def signature(profile: LaunchProfile, occupancy: Occupancy | None, predicted: PredictedTime) -> Signature:
    """Label and vector of a launch; a dimension that is not known is 0."""
    values = _access_shares(profile) | _execution_shares(profile) | _time_shares(predicted)
    values["occupancy"] = occupancy.ratio if occupancy else 0.0
    return Signature(label=_label(profile, predicted), vector=tuple((name, _clip(values[name])) for name in DIMENSIONS))


def distance(a: Signature, b: Signature) -> float:
    """0 (alike) to 1: root mean square of the differences, plus a fixed part when the bottlenecks differ.

    Dimensions that only one signature has (another version wrote it) are left out.
    """
    mine, theirs = dict(a.vector), dict(b.vector)
    names = [name for name in mine if name in theirs]
    return state_distance(tuple(mine[name] for name in names), tuple(theirs[name] for name in names), a.label == b.label)


def state_distance(a: tuple[float, ...], b: tuple[float, ...], has_same_label: bool) -> float:
    """``distance`` of two vectors with the same dimensions; NaN in one of them leaves that dimension out."""
    spread = math.dist(a, b) / math.sqrt(len(a)) if a else 1.0
    if math.isnan(spread):
        squares = [(x - y) ** 2 for x, y in zip(a, b, strict=True) if not (math.isnan(x) or math.isnan(y))]
        spread = math.sqrt(sum(squares) / len(squares)) if squares else 1.0
    return (1 - _LABEL_DISTANCE) * spread + (0.0 if has_same_label else _LABEL_DISTANCE)


def _label(profile: LaunchProfile, predicted: PredictedTime) -> str:
    """What limits it; pipes without a label of their own count as issue, a kernel bound by launching or starting blocks as latency."""
    limit = bottleneck(profile, predicted) if profile.is_of_hardware else predicted.bottleneck
    if limit in _LABELS:
        return limit
    return "latency" if limit in ("blocks", "launch") else "issue"


def _access_shares(profile: LaunchProfile) -> dict[str, float]:
    requests = sum(a.requests for a in profile.accesses)
    return {
        "load_waste": _waste(profile, "global load", "sectors", "ideal_sectors"),
        "store_waste": _waste(profile, "global store", "sectors", "ideal_sectors"),
        "conflict_waste": _waste(profile, "shared", "wavefronts", "ideal_wavefronts"),
        "load_reuse": _reuse(profile),
        "shared_share": _ratio(profile.total("shared", "requests"), requests),
        "atomic_share": _ratio(sum(a.requests for a in profile.accesses if a.op.endswith("atomic")), requests),
        "local_share": _ratio(profile.total("local", "requests"), requests),
    }


def _waste(profile: LaunchProfile, op: str, actual: str, ideal: str) -> float:
    """Share of the moved sectors or wavefronts that is excess."""
    total = profile.total(op, actual)
    return 1 - profile.total(op, ideal) / total if total else 0.0


def _reuse(profile: LaunchProfile) -> float:
    """Share of the ideal load sectors that the block had loaded before."""
    loads = profile.total("global load", "ideal_sectors")
    if not loads or profile.block_unique_sectors is None:
        return 0.0
    return 1 - profile.block_unique_sectors / loads


def _execution_shares(profile: LaunchProfile) -> dict[str, float]:
    warps = sum(e.warp_executions for e in profile.executions)
    threads = sum(e.thread_executions for e in profile.executions)
    mixes = [line.mix for line in profile.instructions]
    total = sum(getattr(mix, f.name) for mix in mixes for f in fields(InstructionMix))
    return {
        "divergence": 1 - threads / (warps * _WARP_LANES) if warps else 0.0,
        "fp64_share": _ratio(sum(m.fp64 for m in mixes), total),
        "conversion_share": _ratio(sum(m.conversion for m in mixes), total),
        "integer_share": _ratio(sum(m.integer for m in mixes), total),
    }


def _time_shares(predicted: PredictedTime) -> dict[str, float]:
    """Each group's slowest term over the predicted time."""

    def share(*names: str) -> float:
        return _ratio(max((t.time_s for t in predicted.terms if t.name in names), default=0.0), predicted.time_s)

    return {
        "memory_time_share": share("dram", "l2", "l1", "shared"),
        "compute_time_share": share("issue", "fp32", "fp64", "half", "conversion", "special", "integer"),
        "latency_time_share": share("latency", "blocks", "launch"),
    }


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
