"""What the verdicts of a comparison answer together: one line, and an exit code."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending
from assistant.model.comparison import Comparison, SpeedOutcome, speed_in_words
from assistant.model.verification import Outcome, Verification, verdict_in_words

__all__ = ["compare_ending"]

_SHOWN_DIGITS = 2
"""Decimal places of a ratio that people see."""
_MODEL_FIT_RATIO = 1.1
"""Factor within which half of the 36 launches stay that the performance model was calibrated on (docs/explanation/performance-model.md):
while its error on other kernels has no bound, a smaller difference is no answer."""


def compare_ending(outcomes: Sequence[tuple[Verification, Comparison | None]], is_strict: bool) -> Ending:
    """What all verdicts together answer, in one line and as an exit code."""
    verdicts = {verdict.outcome for verdict, _ in outcomes}
    speeds = [speed for _, speed in outcomes if speed is not None]
    if not outcomes:
        return Ending(CANNOT_ANSWER, "no kernel of A is launched, so there is nothing to compare")
    if Outcome.FAIL in verdicts:
        return Ending(NO, "FAIL: B is not equivalent to A")
    words = ", ".join(speed_in_words(speed.outcome, speed.ratio, speed.caveats) for speed in speeds) or "no speed predicted"
    caveats = tuple(dict.fromkeys(text for verdict, _ in outcomes for text in verdict.caveats))
    verdict = verdict_in_words(Outcome.NEEDS_DECISION if Outcome.NEEDS_DECISION in verdicts else Outcome.PASS, caveats)
    if any(speed.outcome is SpeedOutcome.SLOWER or _wholly_below_one(speed) for speed in speeds):
        return Ending(NO, f"{verdict}, but {words}")
    is_open = Outcome.NEEDS_DECISION in verdicts or any(_is_undecided(speed) for speed in speeds)
    return Ending(NO if is_strict and is_open else DONE, f"{verdict}, {words}")


def _wholly_below_one(speed: Comparison) -> bool:
    """A prediction of which even the upper bound is below 1; the model's fit bounds it where it has no interval."""
    if speed.outcome is not SpeedOutcome.PREDICTED:
        return False
    high = speed.ratio * _MODEL_FIT_RATIO if speed.high is None else speed.high
    return round(high, _SHOWN_DIGITS) < 1.0


def _is_undecided(speed: Comparison) -> bool:
    """INCONCLUSIVE, or shown as predicted slower by less than the model can tell apart."""
    if speed.outcome is SpeedOutcome.PREDICTED:
        return round(speed.ratio, _SHOWN_DIGITS) < 1.0
    return speed.outcome is SpeedOutcome.INCONCLUSIVE
