"""The performance model against launch times of programs whose times it was not fitted on."""

from __future__ import annotations

import math
import statistics
from itertools import combinations

import pytest

from benchmarks.model_fit import DATA, Judged, candidates, factor_within, halves, judged, load


@pytest.fixture(scope="module")
def unseen() -> list[Judged]:
    target, kernels = load(DATA)
    _, judged_on = halves(kernels)
    return [item for item in judged(target, kernels) if item.measured.program in judged_on]


def test_kernels_of_programs_that_it_was_not_fitted_on_are_predicted_within_two_fifths_in_the_median(unseen: list[Judged]) -> None:
    long = [item for item in unseen if item.measured.time_s >= 5e-6]
    assert len(long) > 50
    assert factor_within(unseen, 0.5) <= 1.4
    assert factor_within(long, 0.5) <= 1.4


def test_candidates_that_differ_by_a_fifth_are_ranked_as_measured(unseen: list[Judged]) -> None:
    versions = candidates(unseen)
    orders = [
        math.copysign(1, (one.time_s - other.time_s) * (one.predicted_s - other.predicted_s))
        for one, other in combinations(versions, 2)
        if one.program == other.program and max(one.time_s, other.time_s) > 1.2 * min(one.time_s, other.time_s)
    ]
    assert len(orders) > 50
    assert statistics.mean(orders) >= 0.8


def test_a_program_belongs_to_one_half() -> None:
    _, kernels = load(DATA)
    fitted_on, judged_on = halves(kernels)
    assert not fitted_on & judged_on
    assert abs(len(fitted_on) - len(judged_on)) <= 1
