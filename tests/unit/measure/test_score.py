"""A prediction gets an interval only from predictions that were re-measured."""

from __future__ import annotations

import pytest

from assistant.measure import PredictedCase, compare_predictions
from assistant.measure.score import LEAST_SCORED_COUNT, Scored, score, with_error
from assistant.model.comparison import PredictedTime, SpeedOutcome

PREDICTION = compare_predictions((PredictedCase("", 1.0, PredictedTime(2.0, "l2", (), "h200"), PredictedTime(1.0, "dram", (), "h200")),))


def scored(count: int, measured: float = 1.0, bottleneck: str = "l2") -> tuple[Scored, ...]:
    return tuple(Scored(bottleneck, 1.2, measured) for _ in range(count))


def test_nine_in_ten_errors_lie_within_the_factor():
    (error,) = score((*scored(9, measured=1.0), *scored(1, measured=0.1)))
    assert (error.bottleneck, error.count) == ("l2", 10)
    assert error.factor == pytest.approx(1.2)


def test_predicting_too_little_and_too_much_count_alike():
    too_much, too_little = score(scored(10, measured=0.6)), score(scored(10, measured=2.4))
    assert too_much[0].factor == pytest.approx(too_little[0].factor) == pytest.approx(2.0)


def test_a_prediction_of_a_scored_class_gets_its_interval_and_stays_predicted():
    judged = with_error(PREDICTION, score(scored(LEAST_SCORED_COUNT)))
    assert (judged.low, judged.high) == (pytest.approx(2 / 1.2), pytest.approx(2 * 1.2))
    assert judged.outcome is SpeedOutcome.PREDICTED
    assert "10 re-measured predictions limited by l2" in judged.quality


@pytest.mark.parametrize("known", [(), scored(LEAST_SCORED_COUNT - 1), scored(50, bottleneck="dram")])
def test_without_enough_measurements_of_its_class_it_stays_unmeasured(known):
    assert with_error(PREDICTION, score(known)) == PREDICTION
