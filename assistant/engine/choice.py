"""Which kept candidate a round builds on, and which steps a chain does not take twice. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.engine.scoring import followed
from assistant.model.plan import Step

__all__ = ["HOST_CODE_MARGIN", "Option", "Taken", "is_preferred", "is_settled", "moved", "taken"]

HOST_CODE_MARGIN = 1.1
"""How much more an edit of host code must gain than one inside the kernel to be chosen (chosen: well below what the performance
model can tell apart, see docs/explanation/performance-model.md)."""
_MASKED_RATIO = 0.99
"""A verified edit that costs nothing may be masked by another bottleneck; below this ratio it is not tried again."""


@dataclass(frozen=True)
class Option:
    """A kept candidate as far as choosing goes."""

    ratio: float
    needs_decision: bool
    edits_host_code: bool


@dataclass(frozen=True)
class Taken:
    """A step that is settled for this chain: kept, or refused for good."""

    technique: str
    lines: frozenset[int]
    """Where its place is in the present text."""


def is_preferred(new: Option, best: Option | None) -> bool:
    """Whether ``new`` displaces ``best`` as what the next round builds on.

    A pure edit comes before one that a human must decide on. Of similar gains the edit inside the kernel wins: it holds for every
    caller and every size, while a launch shape is tuned to the sizes at hand and host code runs with the user's rights. Nothing is
    lost: the next round tries the launch again, on the better kernel. Of equals the first stays.
    """
    if best is None:
        return True
    if new.needs_decision != best.needs_decision:
        return best.needs_decision
    return _weight(new) > _weight(best)


def _weight(option: Option) -> float:
    return option.ratio / HOST_CODE_MARGIN if option.edits_host_code else option.ratio


def is_settled(outcome: str, ratio: float | None) -> bool:
    """Whether a later round need not try this variant again on the same place.

    A kept one that was not chosen may still add to the one that was; one that gains nothing may be masked by another bottleneck.
    """
    if outcome == "kept":
        return False
    return outcome != "not_better" or ratio is None or ratio < _MASKED_RATIO


def taken(step: Step) -> Taken:
    return Taken(step.technique, frozenset({step.line}))


def moved(steps: tuple[Taken, ...], before: str, after: str) -> tuple[Taken, ...]:
    """The same steps where an edit moved their places; a place that the edit removed is settled with it."""
    return tuple(replace(step, lines=frozenset(new for old in step.lines for new in followed(before, after, old))) for step in steps)
