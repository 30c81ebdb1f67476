"""Is a candidate kept? The rule every candidate passes or fails, whoever wrote it. Pure.

While the performance model's error is unmeasured: the verdict is not FAIL, the metric its finding cites improves, and the predicted
ratio is above 1. Once the error is known, the ratio's lower bound must exceed 1 and the cited metric must not get worse.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.engine.assess import KernelAssessment
from assistant.engine.metrics import metric_value, watched
from assistant.engine.quantity import format_change
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.verification import Outcome, Verification

__all__ = ["Kept", "Refused", "gate", "is_proved_better"]


@dataclass(frozen=True)
class Kept:
    """Worth building on; ``reason`` says what improved."""

    reason: str


@dataclass(frozen=True)
class Refused:
    """Dropped; ``outcome`` is the attempt's outcome, ``reason`` one sentence for people."""

    outcome: str
    reason: str


def gate(
    finding_code: str,
    before: tuple[KernelAssessment, ...],
    after: tuple[KernelAssessment, ...],
    verification: Verification,
    comparison: Comparison,
) -> Kept | Refused:
    """The decision on one verified candidate."""
    if verification.outcome is Outcome.FAIL:
        first = next(f for f in verification.findings if f.outcome is Outcome.FAIL)
        return Refused("FAIL", first.message)
    metric = watched(finding_code)
    if metric is not None:
        old, new = metric_value(finding_code, before), metric_value(finding_code, after)
        change = f"{metric.name} {format_change(old, new, metric.unit)}"
        is_better = new > old if metric.is_higher_better else new < old
        is_worse = new < old if metric.is_higher_better else new > old
        if is_worse or (comparison.low is None and not is_better):
            return Refused("not_better", f"the metric its finding cites did not improve: {change}")
    else:
        change = "no counter answers this finding"
    if not is_proved_better(comparison):
        return Refused("not_better", f"{change}, but no gain is predicted")
    return Kept(change)


def is_proved_better(comparison: Comparison) -> bool:
    """FASTER, or PREDICTED above 1: by its lower bound where the model's error is known, else by the ratio itself."""
    if comparison.outcome is SpeedOutcome.PREDICTED:
        return (comparison.ratio if comparison.low is None else comparison.low) > 1.0
    return comparison.outcome is SpeedOutcome.FASTER
