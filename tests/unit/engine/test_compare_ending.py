"""What all verdicts of a comparison answer together: the line that a person reads, and the exit code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending
from assistant.engine.judge.comparing import compare_ending
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.verification import Outcome, Verification

Verdict = Callable[..., Verification]
Predicted = Callable[..., Comparison]


@pytest.mark.parametrize(
    ("ratio", "high", "code", "strict_code"),
    [
        (1.0, None, DONE, DONE),
        (0.996, None, DONE, DONE),
        (0.99, None, DONE, NO),
        (0.91, None, DONE, NO),
        (0.90, None, NO, NO),
        (0.9, 1.0, DONE, NO),
        (0.9, 0.996, DONE, NO),
        (0.9, 0.99, NO, NO),
        (1.2, 0.99, NO, NO),
    ],
)
def test_a_prediction_counts_as_slower_where_even_its_upper_bound_is(
    verdict: Verdict, predicted: Predicted, ratio: float, high: float | None, code: int, strict_code: int
) -> None:
    speed = replace(predicted(ratio), high=high)
    assert compare_ending([(verdict(), speed)], False).exit_code == code
    assert compare_ending([(verdict(), speed)], True).exit_code == strict_code


@pytest.mark.parametrize(
    ("outcome", "code", "strict_code"),
    [
        (SpeedOutcome.FASTER, DONE, DONE),
        (SpeedOutcome.SAME, DONE, DONE),
        (SpeedOutcome.SLOWER, NO, NO),
        (SpeedOutcome.INCONCLUSIVE, DONE, NO),
    ],
)
def test_a_measurement_is_taken_as_it_is_whatever_its_ratio(
    verdict: Verdict, predicted: Predicted, outcome: SpeedOutcome, code: int, strict_code: int
) -> None:
    speed = replace(predicted(0.5), outcome=outcome, high=0.6)
    ends = [compare_ending([(verdict(), None), (verdict(), speed)], is_strict).exit_code for is_strict in (False, True)]
    assert ends == [code, strict_code]


def test_the_worst_verdict_and_every_speed_and_caveat_are_in_the_line(verdict: Verdict, predicted: Predicted) -> None:
    right, open_ = verdict(), replace(verdict(Outcome.NEEDS_DECISION), caveats=("by sums", "alone"))
    slower = replace(predicted(0.5), outcome=SpeedOutcome.SLOWER)
    words = "NEEDS_DECISION (by sums; alone)"
    assert compare_ending([(open_, predicted(1.5)), (replace(right, caveats=("alone",)), None)], False) == Ending(
        DONE, f"{words}, PREDICTED 1.50x"
    )
    assert compare_ending([(open_, predicted(1.5))], True).exit_code == NO
    assert compare_ending([(right, predicted(1.5)), (right, slower)], False) == Ending(NO, "PASS, but PREDICTED 1.50x, SLOWER 0.50x")
    assert compare_ending([(right, None)], True) == Ending(DONE, "PASS, no speed predicted")
    assert compare_ending([(right, slower), (verdict(Outcome.FAIL), None)], False) == Ending(NO, "FAIL: B is not equivalent to A")
    assert compare_ending([], False) == Ending(CANNOT_ANSWER, "no kernel of A is launched, so there is nothing to compare")
