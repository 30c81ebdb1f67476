"""What judging a launch may cost: many cases of small launches, few of large ones, never none."""

from __future__ import annotations

import pytest

from assistant.engine.judge.budget import (
    Cost,
    affordable,
    case_count,
    is_large,
    own_size_count,
    repeat_count,
    shrink_ratio,
    trial_count,
    work_s,
)
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Grade, LaunchProfile, LineAccess, LineExecution, Method

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
SMALL = Cost(threads=1 << 12, size_bytes=1 << 16, checked_s=0.01)
LARGE = Cost(threads=1 << 20, size_bytes=128 << 20, checked_s=None)


def test_a_small_launch_is_judged_on_everything_at_its_own_size() -> None:
    assert not is_large(SMALL)
    assert (case_count(SMALL, 40), repeat_count(SMALL, 20)) == (40, 20)


@pytest.mark.parametrize("cost", [LARGE, Cost(1 << 18, 1 << 10, 0.01), Cost(64, 64 << 20, 0.01), Cost(64, 64, 3.0)])
def test_a_launch_with_many_threads_or_bytes_or_seconds_is_made_smaller(cost: Cost) -> None:
    assert is_large(cost) and shrink_ratio(cost) < 1 / 4


def test_smaller_sizes_go_in_steps_of_four_so_that_a_busy_machine_changes_nothing() -> None:
    seconds = (0.9, 1.0, 1.1)
    assert {shrink_ratio(Cost(1 << 12, 1 << 16, each)) for each in seconds} == {1 / 64}


def test_a_large_launch_that_cannot_be_made_smaller_still_gets_some_cases_and_one_run() -> None:
    slow = Cost(1 << 16, 1 << 20, 20.0)
    assert (case_count(slow, 40), repeat_count(slow, 20)) == (3, 1)
    assert case_count(slow, 2) == 2


def test_fresh_draws_at_the_programs_own_size_are_left_out_where_they_fill_much_memory() -> None:
    assert own_size_count(Cost(1 << 18, 1 << 20, 0.3)) == 2 and own_size_count(LARGE) == 0


def test_larger_sizes_are_taken_in_order_while_time_and_memory_last() -> None:
    ratios = {"odd": 2.0, "doubled": 4.0, "far n": 5.0}
    assert affordable(SMALL, ratios) == ("odd", "doubled", "far n")
    assert affordable(Cost(1 << 12, 1 << 16, 0.25), ratios) == ("odd",)
    assert affordable(Cost(1 << 12, 1 << 16, 0.2), ratios) == ("odd",)
    assert affordable(Cost(1 << 12, 20 << 20, 0.01), ratios) == ("odd",)
    assert affordable(LARGE, ratios) == ()


def test_what_a_run_takes_follows_from_what_it_counts() -> None:
    def profile(times: int) -> LaunchProfile:
        access = LineAccess("k.cu", 3, "global load", 4, 32 * times, 1024 * times, None, None, None, None, Grade.EXACT)
        line = LineExecution("k.cu", 3, 32 * times, 1024 * times, 0)
        return LaunchProfile(0, "k", CONFIG, Method.EMULATOR, "emulator", 1, (access,), (line,), (), None, None, ())

    few, many = (work_s(1024, 4096, (profile(times),)) for times in (1, 100_000))
    assert few < 0.02 and 1.0 < many < 3.0 and work_s(1024, 4096, (profile(1), profile(1))) > few


@pytest.mark.parametrize(
    ("cost", "large", "ratio"),
    [
        (Cost(1 << 17, 0, None), False, 1 / 16),
        (Cost((1 << 17) + 1, 0, None), True, 1 / 64),
        (Cost(0, 8 << 20, None), False, 1 / 16),
        (Cost(0, (8 << 20) + 1, None), True, 1 / 64),
        (Cost(0, 0, 0.04), False, 1 / 4),
        (Cost(0, 0, 0.0401), True, 1 / 4),
        (Cost(0, 0, 0.08), True, 1 / 4),
        (Cost(0, 0, 0.081), True, 1 / 16),
        (Cost(1 << 13, 1 << 19, 0.02), False, 1.0),
        (Cost((1 << 13) + 1, 1 << 19, 0.02), False, 1 / 4),
    ],
)
def test_the_limits_of_large_and_small(cost: Cost, large: bool, ratio: float) -> None:
    assert (is_large(cost), shrink_ratio(cost)) == (large, ratio)
    assert trial_count(cost, is_smaller=False) == (1 if large else 6)
    assert trial_count(cost, is_smaller=True) == 6


@pytest.mark.parametrize(
    ("cost", "wanted", "count"),
    [
        (Cost(1, 0, 0.125), 8, 8),
        (Cost(1, 0, 0.125), 9, 8),
        (Cost(1, 0, 3.0), 2, 2),
        (Cost(1, 24_000_000, None), 10, 10),
        (Cost(1, 30_000_000, 0.125), 10, 4),
        (Cost(1, 24_000_000, 0.4), 10, 3),
        (Cost(1, 0, None), 99, 99),
    ],
)
def test_as_many_further_cases_as_six_seconds_hold_and_three_at_least(cost: Cost, wanted: int, count: int) -> None:
    assert case_count(cost, wanted) == count


@pytest.mark.parametrize(
    ("cost", "repeats"),
    [
        (Cost(1, 0, 0.3), 20),
        (Cost(1, 0, 0.31), 19),
        (Cost(1, 0, 3.0), 2),
        (Cost(1, 0, 12.0), 1),
        (Cost(1, 12_000_000, None), 20),
        (Cost(1, 40_000_000, None), 6),
        (Cost(1, 40_000_000, 0.3), 20),
    ],
)
def test_as_many_repeats_as_half_a_second_holds(cost: Cost, repeats: int) -> None:
    assert repeat_count(cost, 20) == repeats


def test_the_limits_of_what_is_drawn_again_or_grown() -> None:
    assert [own_size_count(Cost(1, (16 << 20) + more, None)) for more in (0, 1)] == [2, 0]
    assert affordable(Cost(1, 1, None), {"same": 1.0, "none": 0.0, "more": 0.1}) == ("same", "none")
    assert affordable(Cost(1 << 18, 1, 0.01), {"four": 4.0, "five": 5.0}) == ("four",)
    assert affordable(Cost(1, 16 << 20, 0.01), {"four": 4.0, "five": 5.0}) == ("four",)
    assert affordable(Cost(1, 1, 0.5), {"both": 1.0, "halves": 1.0, "third": 0.1}) == ("both", "halves")


def test_each_count_has_its_own_share_of_the_time() -> None:
    access = LineAccess("k.cu", 3, "global load", 4, 0, 1_000_000, None, None, None, None, Grade.EXACT)
    line = LineExecution("k.cu", 3, 0, 2_000_000, 0)
    counted = LaunchProfile(0, "k", CONFIG, Method.EMULATOR, "emulator", 1, (access,), (line,), (), None, None, ())
    assert work_s(0, 0, ()) == 0.012
    assert work_s(1_000_000, 2_000_000, (counted,)) == pytest.approx(0.012 + 0.08 + 0.01 + 0.007 + 0.018)
