"""A prediction says how far such predictions were off where a GPU re-measured them; an interval needs many of its own kind."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from assistant.measure import MODEL_ACCURACY, ModelAccuracy, PredictedCase, compare_predictions
from assistant.measure.measured_error import REMEASURED
from assistant.measure.scoring import LEAST_SCORED_COUNT, ScoredPrediction, score, with_error
from assistant.model.comparison import PredictedTime, SpeedOutcome

PREDICTION = compare_predictions((PredictedCase("", 1.0, PredictedTime(2.0, "l2", (), "h200"), PredictedTime(1.0, "dram", (), "h200")),))


def scored(count: int, measured: float = 1.0, bottleneck: str = "l2") -> tuple[ScoredPrediction, ...]:
    return tuple(ScoredPrediction(bottleneck, 1.2, measured) for _ in range(count))


def judged(known: tuple[ScoredPrediction, ...], *targets: str):
    return with_error(PREDICTION, ModelAccuracy("NVIDIA H200", "h200", "", score(known)), targets or ("h200",))


def test_nine_in_ten_errors_lie_within_the_factor():
    everything, l2 = score((*scored(9, measured=1.0), *scored(1, measured=0.1)))
    assert (everything.bottleneck, l2.bottleneck, l2.count) == (None, "l2", 10)
    assert l2.covered_factor == pytest.approx(1.2)
    assert l2.largest_factor == pytest.approx(12)


def test_predicting_too_little_and_too_much_count_alike():
    too_much, too_little = score(scored(10, measured=0.6)), score(scored(10, measured=2.4))
    assert too_much[0].median_factor == pytest.approx(too_little[0].median_factor) == pytest.approx(2.0)


def test_a_prediction_that_nothing_changes_is_right_only_where_nothing_does():
    assert [ScoredPrediction("l2", 1.0, measured).is_right for measured in (1.0, 0.9, 1.1)] == [True, False, False]
    assert [ScoredPrediction("l2", 1.2, measured).is_right for measured in (1.5, 1.0, 0.9)] == [True, False, False]


def test_without_an_interval_the_error_of_all_predictions_is_said():
    found = judged((*scored(9), *scored(1, measured=0.9, bottleneck="dram")))
    words = "model error 1.20x median, 1.20x for nine in ten, over 10 candidates on an NVIDIA H200; 0 of 10 on the right side of 1"
    assert (found.low, found.high) == (None, None)
    assert found.quality == words


def test_a_prediction_whose_bottleneck_was_re_measured_often_gets_an_interval_and_stays_predicted():
    found = judged(scored(LEAST_SCORED_COUNT))
    assert (found.low, found.high) == (pytest.approx(2 / 1.2), pytest.approx(2 * 1.2))
    assert found.outcome is SpeedOutcome.PREDICTED
    assert "over 29 candidates limited by l2" in found.quality


@pytest.mark.parametrize("known", [scored(LEAST_SCORED_COUNT - 1), scored(50, bottleneck="dram")])
def test_fewer_of_its_own_kind_bound_nothing(known: tuple[ScoredPrediction, ...]):
    assert judged(known).low is None


def test_another_device_gets_no_interval_and_is_reported_where_the_error_is_from():
    found = judged(scored(LEAST_SCORED_COUNT), "a100")
    assert found.low is None
    assert found.quality.endswith("on an NVIDIA H200; 0 of 29 on the right side of 1; not measured on a100")


def test_what_the_product_says_is_what_was_measured():
    assert len(REMEASURED) == MODEL_ACCURACY.errors[0].count
    for kept, found in zip(MODEL_ACCURACY.errors, score(REMEASURED), strict=True):
        assert astuple(kept)[:4] == astuple(found)[:4]
        assert astuple(kept)[4:] == pytest.approx(astuple(found)[4:], rel=1e-5)
