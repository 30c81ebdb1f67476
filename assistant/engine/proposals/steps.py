"""The steps of a chain: those that were kept, those that it does not take twice, and how much more an edit of host code must gain. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from assistant.model.plan import Rewrite, Step, Technique
from assistant.model.profile import Evidence, Finding
from assistant.model.proposal import PredictionOutcome
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = [
    "HOST_CODE_MARGIN",
    "OF_EDITED",
    "KeptStep",
    "SettledStep",
    "chain_in_words",
    "followed",
    "is_settled",
    "line_differences",
    "moved",
    "places_of",
    "settled_step",
]

OF_EDITED = "of the edited text"
"""Said of a line that is none of the file: edits before have moved it."""

HOST_CODE_MARGIN = 1.1
"""How much more an edit of host code must gain than one inside the kernel to be chosen (chosen: well below what the performance
model can tell apart, see docs/explanation/performance-model.md): an edit inside the kernel holds for every caller and every size,
while a launch shape is tuned to the sizes at hand and host code runs with the user's rights. Nothing is lost: the next round tries the
launch again, on the better kernel."""
_MASKED_RATIO = 0.99
"""A verified edit that costs nothing may be masked by another bottleneck; below this ratio it is not tried again."""


class SettledStep(Record):
    """A step that is settled for this chain: kept, or refused for good."""

    technique: str
    lines: frozenset[int]
    """Where its place is in the present text."""
    design: str = ""
    """`Step.design`: two designs for one place are two steps."""


def is_settled(outcome: TrialOutcome, ratio: float | None, is_by_model: bool = False) -> bool:
    """Whether a later round need not try this variant again on the same place.

    A kept one that was not chosen may still add to the one that was; one that gains nothing may be masked by another bottleneck. What a
    model wrote and no compiler took says nothing of its idea.
    """
    if outcome is TrialOutcome.KEPT or (is_by_model and outcome is TrialOutcome.BUILD_FAILED):
        return False
    return outcome is not TrialOutcome.NOT_BETTER or ratio is None or ratio < _MASKED_RATIO


def settled_step(step: Step) -> SettledStep:
    return SettledStep(step.technique, frozenset({step.line}), step.design)


def moved(steps: tuple[SettledStep, ...], before: str, after: str) -> tuple[SettledStep, ...]:
    """The same steps where an edit moved their places; a place that the edit removed is settled with it."""
    return tuple(replace(step, lines=frozenset(new for old in step.lines for new in followed(before, after, old))) for step in steps)


class KeptStep(Record):
    """One link of the chain that became the proposal."""

    technique: Technique
    step: Step
    rewrite: Rewrite
    finding: Finding | None
    """What it answers; None where a model's step answers none."""
    evidence: tuple[Evidence, ...]
    """What the step cites."""
    outcomes: tuple[PredictionOutcome, ...]


def places_of(kept: Sequence[KeptStep]) -> tuple[str, ...]:
    """``7``, and for each step behind the first ``12 of the edited text``: its line is one of what the steps before it made."""
    return tuple(f"{item.step.line} {OF_EDITED}" if number else str(item.step.line) for number, item in enumerate(kept))


def chain_in_words(kept: Sequence[KeptStep]) -> str:
    """``tile at line 7, then pad at line 12 of the edited text``."""
    return ", then ".join(f"{item.technique.id} at line {place}" for item, place in zip(kept, places_of(kept), strict=True))


def followed(before: str, after: str, line: int) -> frozenset[int]:
    """Where line ``line`` (1-based) of ``before`` went: its new place, or the lines that replaced it; empty when it was removed."""
    for tag, low, high, new_low, new_high in line_differences(before, after):
        if low < line <= high:
            return frozenset({new_low + line - low}) if tag == "equal" else frozenset(range(new_low + 1, new_high + 1))
    return frozenset()


def line_differences(before: str, after: str) -> Sequence[tuple[str, int, int, int, int]]:
    """(tag, first and last line before, first and last line after) of each part, as ``difflib`` has them."""
    return difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()
