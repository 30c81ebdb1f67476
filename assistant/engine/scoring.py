"""Predictions beside what was then counted: the metric that a prediction names, asked again on the edited text.

A prediction speaks of the finding's line. An edit moves lines, so the line is followed through the diff: an unchanged line to its new
place, a changed one to the lines that replaced it. Lines that the edit inserts elsewhere count too: that is where it moved the access.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assistant.engine.assess import AssessedLaunch, KernelAssessment
from assistant.model.plan import MetricPrediction
from assistant.model.profile import LaunchProfile, LineAccess
from assistant.model.proposal import PredictionOutcome

__all__ = ["Scored", "score_predictions"]

_HIT_RATIO = 0.1
"""A prediction is a hit when the counted value is within this share of the predicted change (model/proposal.py)."""
_EQUAL_RATIO = 1e-6
_WARP_LANES = 32


@dataclass(frozen=True)
class Scored:
    """One version: its text and its kernel's assessments."""

    text: str
    kernels: tuple[KernelAssessment, ...]


def score_predictions(predictions: tuple[MetricPrediction, ...], line: int, before: Scored, after: Scored) -> tuple[PredictionOutcome, ...]:
    """Each prediction with the value counted after the edit; None where the metric cannot be followed."""
    lines = _lines_after(before.text, after.text, line)
    old, new = _costliest(before.kernels), _costliest(after.kernels)
    return tuple(_outcome(prediction, _actual(prediction, line, lines, old, new)) for prediction in predictions)


def _outcome(prediction: MetricPrediction, actual: float | None) -> PredictionOutcome:
    if actual is None:
        return PredictionOutcome(prediction, None, None)
    change = abs(prediction.after - prediction.before)
    return PredictionOutcome(prediction, actual, abs(actual - prediction.after) <= _HIT_RATIO * change)


def _costliest(kernels: Iterable[KernelAssessment]) -> AssessedLaunch | None:
    launches = [launch for kernel in kernels for launch in kernel.launches]
    return max(launches, key=lambda launch: launch.count * launch.predicted.time_s, default=None)


def _actual(
    prediction: MetricPrediction, line: int, lines: frozenset[int], old: AssessedLaunch | None, new: AssessedLaunch | None
) -> float | None:
    if old is None or new is None:
        return None
    if prediction.metric in _LAUNCH_METRICS:
        return _LAUNCH_METRICS[prediction.metric](new)
    if prediction.metric in _INSTRUCTION_CLASSES:
        classes = _INSTRUCTION_CLASSES[prediction.metric]
        return float(sum(getattr(i.mix, c) for i in new.profile.instructions if i.line in lines for c in classes))
    value_of = _ACCESS_METRICS.get(prediction.metric)
    if value_of is None:
        return None
    for op in dict.fromkeys(access.op for access in old.profile.accesses if access.line == line):
        mine = value_of(_at(old.profile, op, frozenset({line})), old.profile)
        if abs(mine - prediction.before) <= _EQUAL_RATIO * max(1.0, abs(mine)):
            return value_of(_at(new.profile, op, lines), new.profile)
    return None


def _at(profile: LaunchProfile, op: str, lines: frozenset[int]) -> list[LineAccess]:
    return [access for access in profile.accesses if access.op == op and access.line in lines]


def _sum(accesses: list[LineAccess], counter: str) -> float:
    return float(sum(getattr(access, counter) or 0 for access in accesses))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _warps(profile: LaunchProfile) -> float:
    return profile.config.grid.count * -(-profile.config.block.count // _WARP_LANES)


_ACCESS_METRICS: dict[str, Callable[[list[LineAccess], LaunchProfile], float]] = {
    "global_sectors": lambda found, _: _sum(found, "sectors"),
    "global_requests": lambda found, _: _sum(found, "requests"),
    "global_sectors_per_request": lambda found, _: _ratio(_sum(found, "sectors"), _sum(found, "requests")),
    "global_requests_per_warp": lambda found, profile: _ratio(_sum(found, "requests"), _warps(profile)),
    "shared_wavefronts": lambda found, _: _sum(found, "wavefronts"),
    "shared_conflict_factor": lambda found, _: _ratio(_sum(found, "wavefronts"), _sum(found, "ideal_wavefronts")),
}
_INSTRUCTION_CLASSES = {
    "fp64_instructions": ("fp64",),
    "conversion_instructions": ("conversion",),
}
_LAUNCH_METRICS: dict[str, Callable[[AssessedLaunch], float | None]] = {
    "occupancy": lambda launch: None if launch.occupancy is None else launch.occupancy.ratio,
    "resident_warps_per_sm": lambda launch: None if launch.occupancy is None else float(launch.occupancy.active_warps_per_sm),
    "block_count": lambda launch: float(launch.profile.config.grid.count),
    "block_threads": lambda launch: float(launch.profile.config.block.count),
}


def _lines_after(before: str, after: str, line: int) -> frozenset[int]:
    """Where line ``line`` (1-based) of ``before`` went: its new place, or the lines that replaced it, and all inserted lines."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    found: set[int] = set()
    for tag, low, high, new_low, new_high in matcher.get_opcodes():
        if tag == "equal" and low < line <= high:
            found.add(new_low + line - low)
        elif tag == "insert" or (tag == "replace" and low < line <= high):
            found.update(range(new_low + 1, new_high + 1))
    return frozenset(found)
