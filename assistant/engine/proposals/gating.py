"""Is a candidate kept? The rule every candidate passes or fails, whether a rule, a model or a person wrote it. Pure.

Of what is not FAIL: measured FASTER is kept, whatever the counters say. Where there is only a prediction without an
interval, the metric that a rule's finding cites must improve, and the predicted ratio be large enough to be shown. With an interval, the
ratio's lower bound must exceed 1 and the cited metric must not get worse. A model's step may gain otherwise than its finding suggests
(atomics that move to shared memory are as many as before): its predicted time alone counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.engine.evaluate import metric_value, watched
from assistant.model.comparison import Comparison, SpeedOutcome, format_ratio
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Outcome, Verification
from assistant.profile.fact_words import change_in_words, metric_in_words
from assistant.record import Record

if TYPE_CHECKING:
    from assistant.engine.evaluate import KernelAssessment

__all__ = [
    "DECIDED_GAIN_RATIO",
    "PREDICTED_GAIN_RATIO",
    "SHOWN_GAIN_RATIO",
    "Citation",
    "Improvement",
    "NoImprovement",
    "gate",
    "is_proved_better",
]

SHOWN_GAIN_RATIO = 1.01
"""Least predicted time(A)/time(B) of an edit worth offering: below it the screen shows 1.00x, and no performance model is that exact."""
DECIDED_GAIN_RATIO = 1.05
"""Least predicted ratio where a person must weigh the edit against precision, portability or an assumption: their time costs more."""

PREDICTED_GAIN_RATIO = 1.05
"""Least predicted ratio that is offered where nothing can be timed (chosen): half of the model's predicted ratios were off by more than
1.08, but what an edit changes in the counts is exact, so that the doubt is whether a smaller gain is there at all."""


class Citation(Record):
    """The finding that a candidate answers."""

    code: str
    """Empty: none."""
    must_improve: bool = True
    """Whether a prediction counts only where the finding's metric improved: a rule does what its finding calls for, or it failed."""


class Improvement(Record):
    """Worth building on; ``reason`` says what improved."""

    reason: str


class NoImprovement(Record):
    """Dropped; ``outcome`` is the attempt's outcome, ``reason`` one sentence for people."""

    outcome: TrialOutcome
    reason: str


def gate(
    cited: Citation,
    before: tuple[KernelAssessment, ...],
    after: tuple[KernelAssessment, ...],
    verification: Verification,
    comparison: Comparison,
) -> Improvement | NoImprovement:
    """The decision on one verified candidate."""
    if verification.failure is not None:
        return NoImprovement(TrialOutcome.FAILED, verification.failure.message)
    metric = watched(cited.code) if after else None
    if metric is not None:
        old, new = metric_value(cited.code, before), metric_value(cited.code, after)
        change = f"{metric_in_words(metric.name)} {change_in_words(metric.name, old, new, metric.unit)}"
        is_better = new > old if metric.is_higher_better else new < old
        is_worse = new < old if metric.is_higher_better else new > old
        was_counted = metric.is_higher_better or old > 0  # an original without counts has nothing that an edit could improve
        if cited.must_improve and was_counted and not _is_measured(comparison) and (is_worse or (comparison.low is None and not is_better)):
            return NoImprovement(TrialOutcome.NOT_BETTER, f"the metric its finding cites did not improve: {change}")
    elif not after:
        change = "other kernels take the place of this one"
    else:
        change = "no counter answers this finding" if cited.code else "its plan cites no finding, so that its time alone counts"
    if not is_proved_better(comparison):
        return NoImprovement(TrialOutcome.NOT_BETTER, f"{change}, but {_no_gain(comparison)}")
    if verification.outcome is Outcome.NEEDS_DECISION and comparison.ratio < DECIDED_GAIN_RATIO:
        word = "measured" if _is_measured(comparison) else "predicted"
        reason = f"{change}, but the {word} {format_ratio(comparison.ratio)}x is too little for what a person would have to decide"
        return NoImprovement(TrialOutcome.NOT_BETTER, reason)
    return Improvement(change)


def is_proved_better(comparison: Comparison) -> bool:
    """FASTER, or a gain PREDICTED that can be shown, with a lower bound above 1 where it has an interval."""
    if comparison.outcome is SpeedOutcome.PREDICTED:
        return comparison.ratio >= SHOWN_GAIN_RATIO and (comparison.low is None or comparison.low > 1.0)
    return comparison.outcome is SpeedOutcome.FASTER


def _is_measured(comparison: Comparison) -> bool:
    return comparison.outcome is not SpeedOutcome.PREDICTED


def _no_gain(comparison: Comparison) -> str:
    if not _is_measured(comparison):
        return "no gain is predicted"
    is_predicted = comparison.bottleneck_before is not None and comparison.predicted_ratio is None
    if comparison.outcome is not SpeedOutcome.INCONCLUSIVE or not is_predicted:
        return f"it was measured {comparison.outcome.value} ({format_ratio(comparison.ratio)}x)"
    reason = f": {comparison.caveats[-1]}" if comparison.caveats else ""
    return f"the predicted {format_ratio(comparison.ratio)}x is no proof of a gain{reason}"
