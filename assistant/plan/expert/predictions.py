"""What an edit is expected to do to the metrics that its finding cites, written before anything runs."""

from __future__ import annotations

from assistant.model.plan import MetricPrediction
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["predicted_sectors", "predicted_wavefronts"]


def predicted_wavefronts(context: TransformationContext, ratio: float) -> tuple[MetricPrediction, ...]:
    """Shared-memory wavefronts of the line scaled by ``ratio`` (after / before)."""
    return _scaled(context, "wavefronts", ratio)


def predicted_sectors(context: TransformationContext, ratio: float) -> tuple[MetricPrediction, ...]:
    """Global-memory sectors of the line scaled by ``ratio`` (after / before)."""
    return _scaled(context, "sectors", ratio)


def _scaled(context: TransformationContext, word: str, ratio: float) -> tuple[MetricPrediction, ...]:
    return tuple(
        MetricPrediction(e.metric, e.value, e.value * ratio, e.unit)
        for e in context.evidence
        if word in e.metric and "ideal" not in e.metric
    )
