"""How wrong the performance model is: predictions that a GPU re-measured, what is reported with the next prediction, and its interval.

An interval is claimed only where a bottleneck has predictions enough; before that the error of all of them is shown. Example::

    errors = score((ScoredPrediction("l2", predicted_ratio=1.9, measured_ratio=2.0, program="a.cu"), …))
    with_error(comparison, ModelAccuracy("NVIDIA H200", "h200", errors)).quality     # "model error 1.28x median, …"
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.record import Record

__all__ = ["LEAST_SCORED_COUNT", "ModelAccuracy", "ModelError", "ScoredPrediction", "score", "with_error"]

LEAST_SCORED_COUNT = 29
"""With fewer re-measured predictions not even the largest error bounds nine in ten with 95 % confidence: 0.9^29 < 0.05 (Wilks, 1941)."""
_COVERED_RATIO = 0.9
"""Share of past errors within ``covered_factor``."""
_NO_CHANGE_RATIO = 0.005
"""A ratio so near 1 is shown as 1.00x: it says that nothing changes."""


class ScoredPrediction(Record):
    """One prediction and what was measured later."""

    bottleneck: str
    """Bottleneck of the version before the change; empty where it was not kept."""
    predicted_ratio: float
    measured_ratio: float
    program: str = ""
    """Where the two versions are from."""

    @property
    def factor(self) -> float:
        """How far apart the two ratios are; at least 1."""
        return math.exp(abs(math.log(self.predicted_ratio / self.measured_ratio)))

    @property
    def is_right(self) -> bool:
        """Whether the gain, the loss or the lack of either came out as predicted."""
        return _side(self.predicted_ratio) == _side(self.measured_ratio)


class ModelError(Record):
    """Error of a class of predictions."""

    bottleneck: str | None
    """None: of all."""
    count: int
    program_count: int
    right_count: int
    """Came out on the side of 1 that was predicted."""
    median_ratio: float
    """Predicted by measured ratio: above 1 where gains are overstated."""
    median_factor: float
    covered_factor: float
    """Nine in ten predicted ratios were within this factor of the measured one; at least 1."""
    largest_factor: float


class ModelAccuracy(Record):
    """What re-measuring on one kind of device showed."""

    device_name: str
    target: str
    """The device's own target (`measure.targets`)."""
    method: str
    errors: tuple[ModelError, ...]
    """Errors of all predictions, then of each bottleneck in alphabetical order."""

    @property
    def doubtful_ratio(self) -> float:
        """Half of the predicted ratios were off by more: a smaller gain may be none. 1 where nothing was re-measured."""
        everything = self.error_of(None)
        return 1.0 if everything is None else everything.median_factor

    def error_of(self, bottleneck: str | None) -> ModelError | None:
        return next((error for error in self.errors if error.bottleneck == bottleneck), None)


def score(scored: Sequence[ScoredPrediction]) -> tuple[ModelError, ...]:
    """Errors of all predictions, then by bottleneck in alphabetical order; none of none."""
    classes = sorted({item.bottleneck for item in scored} - {""})
    by_class = [_error(name, [item for item in scored if item.bottleneck == name]) for name in classes]
    return (_error(None, scored), *by_class) if scored else ()


def with_error(comparison: Comparison, accuracy: ModelAccuracy, targets: Sequence[str]) -> Comparison:
    """The prediction with the model's measured error in words, and as an interval where its bottleneck has predictions enough.

    ``targets``: what the prediction was made for. Measurements are left as they are.
    """
    everything, own = accuracy.error_of(None), accuracy.error_of(comparison.bottleneck_before)
    if everything is None or comparison.outcome is not SpeedOutcome.PREDICTED:
        return comparison
    elsewhere = sorted(set(targets) - {accuracy.target})
    beyond = f"; not measured on {', '.join(elsewhere)}" if elsewhere else ""
    if own is None or own.count < LEAST_SCORED_COUNT or elsewhere:
        return replace(comparison, quality=f"{_in_words(everything, accuracy.device_name)}{beyond}")
    return replace(
        comparison,
        low=comparison.ratio / own.largest_factor,
        high=comparison.ratio * own.largest_factor,
        quality=_in_words(own, accuracy.device_name),
    )


def _error(bottleneck: str | None, scored: Sequence[ScoredPrediction]) -> ModelError:
    factors = sorted(item.factor for item in scored)
    return ModelError(
        bottleneck=bottleneck,
        count=len(scored),
        program_count=len({item.program for item in scored}),
        right_count=sum(item.is_right for item in scored),
        median_ratio=math.exp(statistics.median(math.log(item.predicted_ratio / item.measured_ratio) for item in scored)),
        median_factor=statistics.median(factors),
        covered_factor=factors[math.ceil(_COVERED_RATIO * len(factors)) - 1],
        largest_factor=factors[-1],
    )


def _in_words(error: ModelError, device_name: str) -> str:
    limited = "" if error.bottleneck is None else f" limited by {error.bottleneck}"
    factors = f"{error.median_factor:.2f}x median, {error.covered_factor:.2f}x for nine in ten"
    sides = f"{error.right_count} of {error.count} on the right side of 1"
    return f"model error {factors}, over {error.count} candidates{limited} on an {device_name}; {sides}"


def _side(ratio: float) -> int:
    return 0 if abs(ratio - 1) < _NO_CHANGE_RATIO else (1 if ratio > 1 else -1)
