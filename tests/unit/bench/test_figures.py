"""Sums of a run: what failed or was not proved counts as 1.0x, a loss as what it is."""

from __future__ import annotations

import math

import pytest

from assistant.bench.figures import figures_of
from assistant.bench.row import Cost, RowOutcome
from assistant.model.comparison import SpeedOutcome
from tests.unit.bench.conftest import MakeRow


def test_the_mean_counts_failures_as_one(row: MakeRow) -> None:
    figures = figures_of([row("a", 4.0), row("b", outcome=RowOutcome.FAILED)])
    assert figures.all.geometric_mean == pytest.approx(2.0)
    assert figures.outcomes == {"faster": 1, "failed": 1}


@pytest.mark.parametrize(
    ("speed", "outcome", "counted"),
    [
        (SpeedOutcome.FASTER, RowOutcome.FASTER, 2.0),
        (SpeedOutcome.PREDICTED, RowOutcome.FASTER, 2.0),
        (SpeedOutcome.SLOWER, RowOutcome.NOT_FASTER, 2.0),
        (SpeedOutcome.SAME, RowOutcome.NOT_FASTER, 1.0),
        (SpeedOutcome.INCONCLUSIVE, RowOutcome.NOT_FASTER, 1.0),
        (SpeedOutcome.FASTER, RowOutcome.FAILED, 1.0),
        (SpeedOutcome.FASTER, RowOutcome.WAITS, 1.0),
    ],
)
def test_only_what_was_decided_counts(row: MakeRow, speed: SpeedOutcome, outcome: RowOutcome, counted: float) -> None:
    assert row("a", 2.0, speed, outcome=outcome).counted_ratio == counted


def test_a_loss_lowers_the_mean(row: MakeRow) -> None:
    lost = row("a", 0.5, SpeedOutcome.SLOWER, outcome=RowOutcome.NOT_FASTER)
    assert figures_of([lost]).all.geometric_mean == pytest.approx(0.5)


def test_those_far_from_their_bound_have_a_mean_of_their_own(row: MakeRow) -> None:
    near = row("near", bound=row().bound, times=None)
    figures = figures_of([row("far", 8.0), near])
    assert (figures.all.count, figures.far.count, figures.bounded_count) == (2, 1, 1)
    assert figures.far.geometric_mean == pytest.approx(8.0)
    assert (figures.near_before_count, figures.near_after_count) == (0, 1)


def test_costs_are_added_and_an_unknown_price_stays_unknown(row: MakeRow) -> None:
    paid = [row("a", cost=Cost(2.0, 100, 0.5)), row("b", cost=Cost(3.0, 50, 0.25))]
    figures = figures_of(paid)
    assert (figures.token_count, figures.money_usd, figures.wall_s) == (150, 0.75, 5.0)
    assert figures_of([*paid, row("c", cost=Cost(1.0, 10, None))]).money_usd is None


def test_of_nothing_there_is_no_mean() -> None:
    figures = figures_of([])
    assert figures.all.geometric_mean is None and not math.isnan(figures.wall_s)
