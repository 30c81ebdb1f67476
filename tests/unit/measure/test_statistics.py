"""Verdicts on simulated timings are right as often as they claim to be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.measure import Pairs, WeightedPairs, aa_half_width, compare_pairs, judge_pairs
from assistant.measure.statistics import Interval, autocorrelation, interval, judge_interval, margin
from assistant.model.comparison import SpeedOutcome

STEADY = 0.002
"""A/A half-width of a steady machine."""


def simulated(gain: float, sd: float, count: int, seed: int, rho: float = 0.0) -> Pairs:
    """B faster than A by ``gain``; log ratios with standard deviation ``sd`` and lag-1 correlation ``rho``."""
    rng = np.random.default_rng(seed)
    noise = np.empty(count)
    noise[0] = rng.normal(0, sd)
    for i in range(1, count):
        noise[i] = rho * noise[i - 1] + rng.normal(0, sd * math.sqrt(1 - rho * rho))
    b = np.full(count, 1e-5)
    return Pairs(tuple(b * (1 + gain) * np.exp(noise)), tuple(b))


def outcomes(gain: float, sd: float, runs: int, count: int = 10) -> list[SpeedOutcome]:
    return [judge_pairs(simulated(gain, sd, count, seed), STEADY, seed).outcome for seed in range(runs)]


def test_a_version_against_itself_is_never_called_faster_or_slower():
    seen = outcomes(0.0, 0.005, runs=200)
    assert sum(o in (SpeedOutcome.FASTER, SpeedOutcome.SLOWER) for o in seen) <= 2


def test_a_gain_of_three_percent_is_found():
    assert outcomes(0.03, 0.005, runs=100).count(SpeedOutcome.FASTER) >= 90


def test_a_loss_of_three_percent_is_found():
    assert outcomes(-0.03, 0.005, runs=50).count(SpeedOutcome.SLOWER) >= 45


def test_equal_speed_on_a_steady_machine_is_called_the_same():
    assert outcomes(0.0, 0.002, runs=50).count(SpeedOutcome.SAME) >= 45


def test_noise_as_large_as_the_gain_is_inconclusive():
    assert outcomes(0.02, 0.05, runs=50).count(SpeedOutcome.INCONCLUSIVE) >= 40


def test_the_interval_covers_the_truth_when_pairs_are_independent():
    covered = 0
    for seed in range(100):
        found = interval(simulated(0.03, 0.01, 20, seed), seed)
        covered += found.low <= 1.03 <= found.high
    assert covered >= 90


def test_correlated_pairs_get_a_wider_interval():
    pairs = simulated(0.03, 0.01, 60, 5, rho=0.7)
    shuffled = np.random.default_rng(1).permutation(60)
    independent = Pairs(tuple(pairs.a_s[i] for i in shuffled), tuple(pairs.b_s[i] for i in shuffled))
    assert autocorrelation(pairs.log_ratios) > 0.2 > autocorrelation(independent.log_ratios)
    assert interval(pairs, 1).half_width > 1.3 * interval(independent, 1).half_width


def test_correlated_pairs_are_covered_better_than_seventy_percent():
    covered = 0
    for seed in range(100):
        found = interval(simulated(0.03, 0.01, 60, seed, rho=0.6), seed)
        covered += found.low <= 1.03 <= found.high
    assert covered >= 82  # about 72 with single pairs


def test_the_margin_is_one_percent_or_three_times_the_noise():
    assert margin(0.001) == 0.01
    assert margin(0.01) == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("low", "high", "margin_ratio", "outcome"),
    [
        (1.02, 1.05, 0.01, SpeedOutcome.FASTER),
        (1.005, 1.05, 0.01, SpeedOutcome.INCONCLUSIVE),
        (0.995, 1.005, 0.01, SpeedOutcome.SAME),
        (0.95, 0.98, 0.01, SpeedOutcome.SLOWER),
        (0.98, 1.02, 0.03, SpeedOutcome.INCONCLUSIVE),
        (0.95, 1.05, 0.01, SpeedOutcome.INCONCLUSIVE),
    ],
)
def test_only_an_interval_that_clears_the_margin_decides(low, high, margin_ratio, outcome):
    assert judge_interval(Interval(1.0, low, high), margin_ratio) is outcome


def test_a_wide_margin_makes_the_quality_poor():
    assert judge_pairs(simulated(0.5, 0.001, 10, 1), 0.01, 1).quality == "poor"
    assert judge_pairs(simulated(0.5, 0.001, 10, 1), 0.005, 1).quality == "fair"
    assert judge_pairs(simulated(0.5, 0.001, 10, 1), 0.001, 1).quality == "good"


def test_a_slower_shape_forbids_faster_overall():
    shapes = (
        WeightedPairs("n=4096", 10.0, simulated(0.5, 0.001, 10, 1)),
        WeightedPairs("n=33", 0.0, simulated(-0.2, 0.001, 10, 2)),
    )
    compared = compare_pairs(shapes, STEADY, seed=3)
    assert compared.outcome is SpeedOutcome.INCONCLUSIVE
    assert [c.outcome for c in compared.cases] == [SpeedOutcome.FASTER, SpeedOutcome.SLOWER]


def test_the_overall_ratio_weighs_shapes_by_calls_and_time():
    shapes = (
        WeightedPairs("long", 1.0, Pairs((2.0,) * 6, (1.0,) * 6)),
        WeightedPairs("short", 1.0, Pairs((0.1,) * 6, (0.1,) * 6)),
    )
    assert compare_pairs(shapes, STEADY, seed=1).ratio == pytest.approx(2.1 / 1.1)


def test_four_pairs_decide_nothing():
    assert judge_pairs(simulated(0.5, 0.001, 4, 1), STEADY, 1).outcome is SpeedOutcome.INCONCLUSIVE


def test_a_biased_method_shows_in_its_half_width():
    assert aa_half_width(simulated(0.02, 0.001, 20, 1), 1) > 0.018


@pytest.mark.parametrize("timings", [((1.0,), (1.0, 2.0)), ((0.0,), (1.0,)), ((float("nan"),), (1.0,))])
def test_impossible_timings_are_refused(timings):
    with pytest.raises(ValueError, match="timing"):
        Pairs(*timings)


_timings = st.lists(st.tuples(*[st.floats(1e-7, 1.0)] * 2), min_size=5, max_size=12)


@given(_timings, st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_exchanging_a_and_b_turns_the_ratio_over(timings, seed):
    a, b = zip(*timings, strict=True)
    forward, backward = interval(Pairs(a, b), seed), interval(Pairs(b, a), seed)
    assert forward.ratio == pytest.approx(1 / backward.ratio)
    assert forward.low <= forward.ratio * (1 + 1e-9)
    assert forward.ratio <= forward.high * (1 + 1e-9)


@given(_timings, st.floats(0.5, 2.0))
@settings(max_examples=25, deadline=None)
def test_the_unit_of_time_does_not_matter(timings, factor):
    a, b = zip(*timings, strict=True)
    scaled = Pairs(tuple(t * factor for t in a), tuple(t * factor for t in b))
    assert interval(Pairs(a, b), 1).ratio == pytest.approx(interval(scaled, 1).ratio)
