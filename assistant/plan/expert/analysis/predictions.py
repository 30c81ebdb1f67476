"""What an edit is expected to do to the metrics that its finding cites, written before anything runs.

Example::

    predicted_sectors(context, 1 / 8)   # global sectors of the finding's line, before and after
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.model.plan import MetricPrediction
from assistant.model.profile import Evidence
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["predicted_sectors", "predicted_values", "predicted_wavefronts"]

_WAVEFRONT_METRICS = ("shared_wavefronts", "shared_conflict_factor")
_SECTOR_METRICS = ("global_sectors", "global_sectors_per_request")


def predicted_wavefronts(context: TransformationContext, ratio: float) -> tuple[MetricPrediction, ...]:
    """Shared-memory wavefronts of the line, scaled by ``ratio`` (after / before)."""
    return _scaled(context, _WAVEFRONT_METRICS, ratio)


def predicted_sectors(context: TransformationContext, ratio: float) -> tuple[MetricPrediction, ...]:
    """Global-memory sectors of the line, scaled by ``ratio`` (after / before)."""
    return _scaled(context, _SECTOR_METRICS, ratio)


def predicted_values(context: TransformationContext, after: Mapping[str, float]) -> tuple[MetricPrediction, ...]:
    """The metrics of ``after`` that the finding cites and that change, at their new value."""
    changed = (e for e in _of_finding(context) if e.metric in after and after[e.metric] != e.value)
    return tuple(MetricPrediction(e.metric, e.value, after[e.metric], e.unit) for e in changed)


def _scaled(context: TransformationContext, metrics: tuple[str, ...], ratio: float) -> tuple[MetricPrediction, ...]:
    return predicted_values(context, {e.metric: e.value * ratio for e in _of_finding(context) if e.metric in metrics})


def _of_finding(context: TransformationContext) -> tuple[Evidence, ...]:
    """The first fact of each metric: that of the finding's line, where a finding of several lines cites the others after it."""
    first: dict[str, Evidence] = {}
    for fact in context.evidence:
        first.setdefault(fact.metric, fact)
    return tuple(first.values())
