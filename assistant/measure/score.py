"""How wrong the model is: predictions that a GPU re-measured, and the interval that a prediction gets from them.

Example::

    errors = score((Scored("l2", predicted_ratio=1.9, measured_ratio=2.0), ...))
    with_error(comparison, errors).low   # no longer None once enough predictions of that bottleneck were measured
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace

from assistant.measure.compare import UNMEASURED
from assistant.model.comparison import Comparison

__all__ = ["LEAST_SCORED_COUNT", "ModelError", "Scored", "score", "with_error"]

LEAST_SCORED_COUNT = 10
"""Fewer re-measured predictions of a bottleneck say nothing about the next one (nine in ten need at least ten)."""
_COVERED_RATIO = 0.9
"""Share of past errors that the interval covers."""


@dataclass(frozen=True)
class Scored:
    """One prediction and what was measured later."""

    bottleneck: str
    """Of the version before the change."""
    predicted_ratio: float
    measured_ratio: float


@dataclass(frozen=True)
class ModelError:
    """Of one class of predictions, on one device."""

    bottleneck: str
    count: int
    factor: float
    """Nine in ten predicted ratios were within this factor of the measured one; at least 1."""


def score(scored: tuple[Scored, ...]) -> tuple[ModelError, ...]:
    """Errors by bottleneck, in alphabetical order; classes with too few measurements are left out."""
    logs: defaultdict[str, list[float]] = defaultdict(list)
    for s in scored:
        logs[s.bottleneck].append(abs(math.log(s.predicted_ratio / s.measured_ratio)))
    return tuple(
        ModelError(name, len(errors), math.exp(sorted(errors)[math.ceil(_COVERED_RATIO * len(errors)) - 1]))
        for name, errors in sorted(logs.items())
        if len(errors) >= LEAST_SCORED_COUNT
    )


def with_error(comparison: Comparison, errors: tuple[ModelError, ...]) -> Comparison:
    """The prediction with the measured error of its bottleneck class as interval; unchanged while that is unmeasured."""
    error = next((e for e in errors if e.bottleneck == comparison.bottleneck_before), None)
    if error is None or comparison.quality != UNMEASURED:
        return comparison
    return replace(
        comparison,
        low=comparison.ratio / error.factor,
        high=comparison.ratio * error.factor,
        quality=f"nine in ten of {error.count} re-measured predictions limited by {error.bottleneck} were within a factor of "
        f"{error.factor:.2f}",
    )
