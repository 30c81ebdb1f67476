"""How many cases on other values are tried, of which size, and what is said of those that are left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.engine.evaluate.judged_case import Effort, JudgedCase
from assistant.engine.judge.budget import Cost
from assistant.engine.judge.chosen_values import chosen_values
from assistant.engine.judge.values import Base, base_of, of_own_size, other_values
from assistant.model.launch import Dim3, LaunchConfig
from tests.unit.workload.launches import launched

SCREENING, CONFIRMING = (Effort((1, 2, 3), 1, "check", True, is_confirming=is_confirming) for is_confirming in (False, True))
QUICK = Cost(1024, 4000, 0.001)


def base(count: int, shape: str | None = None) -> Base:
    values = np.linspace(-2, 3, count).astype(np.float32)
    new, parameters = launched(LaunchConfig(Dim3(-(-count // 128)), Dim3(128)), {"n": count}, values)
    new = replace(new, origin=replace(new.origin, shape=f"n={count}" if shape is None else shape))
    return base_of(JudgedCase(new, "k", (parameters,), ((0, "x"),), frozenset(), 0), "", (1, 2, 3))


def chosen(*bases: Base, cost: Cost = QUICK, effort: Effort = CONFIRMING) -> tuple[list[str], tuple[str, ...]]:
    """Where each case was made, and what is said."""
    made, notes = chosen_values(bases, cost, effort, is_declared=False)
    assert all(case.new.origin.is_derived for _, case in made)
    return [one.case.new.origin.shape for one, _ in made], notes


OWN, SMALLER = base(1000), base(256)
COUNT = len(list(other_values(OWN, is_declared=False)))


def test_a_launch_that_takes_no_time_runs_on_all_that_can_be_made_of_it() -> None:
    assert chosen(OWN) == (["n=1000"] * COUNT, ())


def test_candidates_are_ranked_on_three_cases_of_the_smallest_size() -> None:
    assert chosen(OWN, effort=SCREENING) == (["n=1000"] * 3, ())
    assert chosen(OWN, SMALLER, effort=SCREENING) == (["n=256"] * 3, ())


@pytest.mark.parametrize("left_out", [0, 1, 5])
def test_what_time_leaves_out_at_the_only_size_is_said(left_out: int) -> None:
    """Six seconds are there for all cases, of which each takes as long as six checked runs."""
    count = COUNT - left_out
    slow = Cost(1024, 0, 0.999 / count)
    note = f"further values at n=1000: the launch takes too long for more than {count} cases"
    assert chosen(OWN, cost=slow) == (["n=1000"] * count, (note,) if left_out else ())


def test_of_a_launch_with_a_smaller_size_two_cases_and_a_few_of_its_own_stay_at_its_own() -> None:
    shapes, (note,) = chosen(OWN, SMALLER)
    small_count = len(list(other_values(SMALLER, is_declared=False)))
    own_count = 2 + len(list(of_own_size(OWN)))
    assert shapes == ["n=1000"] * own_count + ["n=256"] * small_count
    assert note == f"further values at the program's own size: {small_count} cases run at n=256 instead of n=1000"


def test_a_launch_that_fills_much_memory_runs_on_other_values_at_the_smaller_size_alone() -> None:
    shapes, _ = chosen(OWN, SMALLER, cost=Cost(1024, 1 << 30, 0.001))
    assert set(shapes) == {"n=256"}


def test_a_smaller_size_that_still_holds_much_data_gives_few_cases() -> None:
    """Each is drawn, written, read and compared."""
    shapes, _ = chosen(OWN, base(6 << 20), cost=Cost(1024, 80 << 20, 0.001))
    assert shapes == [f"n={6 << 20}"] * 9


def test_sizes_that_only_the_grid_shows_are_told_by_it() -> None:
    _, (note,) = chosen(base(1000, ""), base(256, ""))
    assert note.endswith(f"cases run at grid {Dim3(2)} instead of grid {Dim3(8)}")
