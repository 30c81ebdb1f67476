"""Which steps a chain does not take twice, and how much more an edit of host code must gain. Pure."""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.proposals.scoring import followed
from assistant.model.plan import Step
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = ["HOST_CODE_MARGIN", "Taken", "is_settled", "moved", "taken"]

HOST_CODE_MARGIN = 1.1
"""How much more an edit of host code must gain than one inside the kernel to be chosen (chosen: well below what the performance
model can tell apart, see docs/explanation/performance-model.md): an edit inside the kernel holds for every caller and every size,
while a launch shape is tuned to the sizes at hand and host code runs with the user's rights. Nothing is lost: the next round tries the
launch again, on the better kernel."""
_MASKED_RATIO = 0.99
"""A verified edit that costs nothing may be masked by another bottleneck; below this ratio it is not tried again."""


class Taken(Record):
    """A step that is settled for this chain: kept, or refused for good."""

    technique: str
    lines: frozenset[int]
    """Where its place is in the present text."""


def is_settled(outcome: TrialOutcome, ratio: float | None) -> bool:
    """Whether a later round need not try this variant again on the same place.

    A kept one that was not chosen may still add to the one that was; one that gains nothing may be masked by another bottleneck.
    """
    if outcome is TrialOutcome.KEPT:
        return False
    return outcome is not TrialOutcome.NOT_BETTER or ratio is None or ratio < _MASKED_RATIO


def taken(step: Step) -> Taken:
    return Taken(step.technique, frozenset({step.line}))


def moved(steps: tuple[Taken, ...], before: str, after: str) -> tuple[Taken, ...]:
    """The same steps where an edit moved their places; a place that the edit removed is settled with it."""
    return tuple(replace(step, lines=frozenset(new for old in step.lines for new in followed(before, after, old))) for step in steps)
