"""Predictions are compared without ever using a measured word."""

from __future__ import annotations

import pytest

from assistant.measure import PredictedCase, compare_predictions, sum_predictions
from assistant.model.comparison import ModelTerm, PredictedTime, SpeedOutcome


def case(shape: str, weight: float, before_s: float, after_s: float) -> PredictedCase:
    return PredictedCase(shape, weight, PredictedTime(before_s, "l2", (), "h200"), PredictedTime(after_s, "dram", (), "h200"))


def test_shapes_count_by_weighted_time():
    compared = compare_predictions((case("n=1", 3, 2.0, 1.0), case("n=2", 1, 10.0, 10.0)))
    assert compared.ratio == pytest.approx((3 * 2 + 10) / (3 + 10))
    assert [c.ratio for c in compared.cases] == [2.0, 1.0]


def test_a_prediction_has_no_interval_and_says_why():
    compared = compare_predictions((case("", 1, 2.0, 1.0),))
    assert (compared.outcome, compared.low, compared.high, compared.margin) == (SpeedOutcome.PREDICTED, None, None, None)
    assert "model error" in compared.quality and "on an NVIDIA H200" in compared.quality
    assert "nothing was timed" in compared.method


def test_the_bottleneck_is_that_of_the_heaviest_shape():
    compared = compare_predictions((case("", 1, 2.0, 1.0),))
    assert (compared.bottleneck_before, compared.bottleneck_after) == ("l2", "dram")


def test_launch_overhead_is_part_of_both_times_and_no_bottleneck():
    def predicted(body_s: float) -> PredictedTime:
        terms = (ModelTerm("latency", body_s, ()), ModelTerm("l2", body_s / 2, ()), ModelTerm("launch", 1.7, ()))
        return PredictedTime(1.7 + body_s, "launch", terms, "h200")

    compared = compare_predictions((PredictedCase("", 1, predicted(1.6), predicted(0.4)),))
    assert compared.ratio == pytest.approx(3.3 / 2.1)
    assert (compared.bottleneck_before, compared.bottleneck_after) == ("latency", "latency")
    assert "launch overhead included" in compared.method


def test_what_limits_the_kernel_itself_is_named_for_a_launch_as_for_a_comparison():
    terms = (ModelTerm("issue", 0.6e-6, ()), ModelTerm("l2", 0.2e-6, ()), ModelTerm("launch", 1.7e-6, ()))
    predicted = PredictedTime(2.3e-6, "launch", terms, "h200")
    assert predicted.own_bottleneck == compare_predictions((PredictedCase("", 1, predicted, predicted),)).bottleneck_before == "issue"


def test_boundary_shapes_are_listed_but_do_not_count():
    compared = compare_predictions((case("n=1024", 1, 2.0, 1.0), case("n=1", 0, 1.0, 100.0)))
    assert compared.ratio == 2.0
    assert len(compared.cases) == 2


def test_without_weight_there_is_nothing_to_compare():
    with pytest.raises(ValueError, match="weight"):
        compare_predictions((case("", 0, 1.0, 1.0),))


def test_launches_of_the_same_shape_add_up_and_the_largest_sum_is_the_bottleneck():
    first = PredictedTime(3.0, "l2", (ModelTerm("l2", 2.0, ()), ModelTerm("dram", 1.5, ())), "h200", ("assumed a",))
    second = PredictedTime(2.0, "dram", (ModelTerm("dram", 1.0, ()),), "h200", ("assumed a", "assumed b"))
    both = sum_predictions((first, second))
    assert (both.time_s, both.bottleneck, both.notes) == (5.0, "dram", ("assumed a", "assumed b"))
