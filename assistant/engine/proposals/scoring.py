"""Predictions next to what was then counted: the metric that a prediction names, asked again on the edited text.

A prediction speaks of the finding's line. An edit moves lines, so the line is followed through the diff: an unchanged line to its new
place, a changed one to the lines that replaced it. Lines that the edit inserts elsewhere count too: that is where it moved the access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assistant.engine.evaluate import AssessedLaunch, KernelAssessment
from assistant.engine.proposals.steps import followed, line_differences
from assistant.model.plan import MetricPrediction
from assistant.model.profile import LaunchProfile, LineAccess
from assistant.model.proposal import PredictionOutcome
from assistant.record import Record

__all__ = ["TIME_RATIO", "ScoredVersion", "score_predictions", "score_ratio"]

_HIT_RATIO = 0.1
"""A prediction is a hit when the counted value is within this share of the predicted change (model/proposal.py)."""
_EQUAL_RATIO = 1e-6
_WARP_LANES = 32
TIME_RATIO = "time_ratio"
"""time(before)/time(after) of an edit, as planners predict it; it is judged, not counted."""


class ScoredVersion(Record):
    """One version: its text and its kernel's assessments."""

    text: str
    kernels: tuple[KernelAssessment, ...]


def score_predictions(
    predictions: tuple[MetricPrediction, ...], line: int, before: ScoredVersion, after: ScoredVersion
) -> tuple[PredictionOutcome, ...]:
    """Each prediction with the value counted after the edit; None where the metric cannot be followed.

    The predictions of one step speak of one kind of access: the one whose counters agree with most of their values before the edit.
    """
    lines = _lines_after(before.text, after.text, line)
    old, new = _costliest(before.kernels), _costliest(after.kernels)
    if old is None or new is None:
        return tuple(PredictionOutcome(prediction, None, None) for prediction in predictions)
    op, stack = _access_kind(predictions, line, old.profile), _stack_bytes(after.kernels)
    return tuple(_outcome(one, stack if one.metric == "stack_bytes" else _actual(one, line, lines, op, old, new)) for one in predictions)


def score_ratio(predicted_ratio: float | None, ratio: float | None) -> tuple[PredictionOutcome, ...]:
    """A plan's own time(before)/time(after) next to the judge's; nothing where the plan had none."""
    if predicted_ratio is None or ratio is None:
        return ()
    return (_outcome(MetricPrediction(TIME_RATIO, 1.0, predicted_ratio, "ratio"), ratio),)


def _outcome(prediction: MetricPrediction, actual: float | None) -> PredictionOutcome:
    if actual is None:
        return PredictionOutcome(prediction, None, None)
    change = abs(prediction.after - prediction.before)
    return PredictionOutcome(prediction, actual, abs(actual - prediction.after) <= _HIT_RATIO * change)


def _costliest(kernels: Iterable[KernelAssessment]) -> AssessedLaunch | None:
    launches = [launch for kernel in kernels for launch in kernel.launches]
    return max(launches, key=lambda launch: launch.total_time_s, default=None)


def _stack_bytes(kernels: Iterable[KernelAssessment]) -> float | None:
    """Of the instance that has most; None where no compiler said."""
    return max((float(kernel.resources.stack_bytes) for kernel in kernels if kernel.resources is not None), default=None)


def _access_kind(predictions: tuple[MetricPrediction, ...], line: int, profile: LaunchProfile) -> str | None:
    """``global load``, say; None where no counter of the line is what a prediction starts from.

    Where loads and stores agree alike the line updates memory in place, and predictions about such lines speak of the stores.
    """
    agreeing = {
        op: sum(_starts_from(prediction, line, op, profile) for prediction in predictions)
        for op in dict.fromkeys(access.op for access in profile.accesses if access.line == line)
    }
    best = max(agreeing, key=lambda op: (agreeing[op], op.endswith("store")), default=None)
    return best if best is not None and agreeing[best] else None


def _starts_from(prediction: MetricPrediction, line: int, op: str, profile: LaunchProfile) -> bool:
    value_of = _ACCESS_METRICS.get(prediction.metric)
    if value_of is None:
        return False
    value = value_of(_at(profile, op, frozenset({line})), profile)
    return abs(value - prediction.before) <= _EQUAL_RATIO * max(1.0, abs(value))


def _actual(
    prediction: MetricPrediction, line: int, lines: frozenset[int], op: str | None, old: AssessedLaunch, new: AssessedLaunch
) -> float | None:
    if prediction.metric in _LAUNCH_METRICS:
        return _LAUNCH_METRICS[prediction.metric](new)
    if prediction.metric in _INSTRUCTION_CLASSES:
        classes = _INSTRUCTION_CLASSES[prediction.metric]
        return float(sum(getattr(i.mix, c) for i in new.profile.instructions if i.line in lines for c in classes))
    if op is None or not _starts_from(prediction, line, op, old.profile):
        return None
    return _ACCESS_METRICS[prediction.metric](_at(new.profile, op, lines), new.profile)


def _at(profile: LaunchProfile, op: str, lines: frozenset[int]) -> list[LineAccess]:
    return [access for access in profile.accesses if access.op == op and access.line in lines]


def _sum(accesses: list[LineAccess], counter: str) -> float:
    return float(sum(getattr(access, counter) or 0 for access in accesses))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _warps(profile: LaunchProfile) -> float:
    return profile.config.grid.count * -(-profile.config.block.count // _WARP_LANES)


def _reuse(profile: LaunchProfile) -> float | None:
    """Ideal load sectors per distinct sector of a block, as the finding counts them."""
    loads = [access for access in profile.accesses if access.op == "global load"]
    return _sum(loads, "ideal_sectors") / profile.block_unique_sectors if profile.block_unique_sectors else None


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
    "load_reuse_in_block": lambda launch: _reuse(launch.profile),
    "active_lanes_per_execution": lambda launch: launch.profile.mean_active_lanes,
    "block_threads": lambda launch: float(launch.profile.config.block.count),
}


def _lines_after(before: str, after: str, line: int) -> frozenset[int]:
    """Where the line went, and every line that the edit put in: there it may have moved the access."""
    return followed(before, after, line) | frozenset(
        new for tag, _, _, low, high in line_differences(before, after) if tag == "insert" for new in range(low + 1, high + 1)
    )
