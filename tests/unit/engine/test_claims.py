"""Short words for speeds, verdicts and what a person is asked."""

from __future__ import annotations

import pytest

from assistant.engine.report.claims import asked_in_words, gain_in_words, verdict_in_short
from assistant.model.comparison import SpeedOutcome
from assistant.model.verification import Label, Outcome


@pytest.mark.parametrize(("outcome", "words"), [
    (SpeedOutcome.PREDICTED, "≈1.60x predicted"),
    (SpeedOutcome.FASTER, "1.60x"),
    (SpeedOutcome.SLOWER, "1.60x, slower"),
    (SpeedOutcome.SAME, "as fast as before"),
    (SpeedOutcome.INCONCLUSIVE, "speed inconclusive"),
])  # fmt: skip
def test_a_gain_says_whether_it_was_measured(outcome: SpeedOutcome, words: str) -> None:
    assert gain_in_words(outcome, 1.6) == words


def test_a_person_is_asked_about_the_first_label_and_told_how_many_follow() -> None:
    assert asked_in_words(()) == "a different result"
    assert asked_in_words((Label.PRECISION,)) == "fewer digits"
    assert asked_in_words((Label.PRECISION, Label.HOST_CODE, Label.ASSUMPTION)) == "fewer digits +2"


@pytest.mark.parametrize(("outcome", "right", "cases", "words"), [
    (Outcome.PASS, 10, 10, "right in 10 of 10 cases"),
    (Outcome.PASS, 0, 0, "right"),
    (Outcome.NEEDS_DECISION, 9, 10, "needs your decision: fewer digits"),
    (Outcome.FAIL, 3, 4, "wrong in 1 of 4 cases"),
    (Outcome.FAIL, 4, 4, "wrong"),
])  # fmt: skip
def test_a_verdict_counts_its_cases(outcome: Outcome, right: int, cases: int, words: str) -> None:
    assert verdict_in_short(outcome, right, cases, (Label.PRECISION,)) == words
