"""What judging a launch may cost: many cases of small launches, few of large ones, never none."""

from __future__ import annotations

import pytest

from assistant.engine.judge.budget import Cost, affordable, case_count, is_large, own_size_count, repeat_count, shrink_ratio, work_s
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
