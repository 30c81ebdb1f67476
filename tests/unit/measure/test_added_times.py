"""Times that are put together: of the parts of one call, and of what was timed elsewhere."""

from __future__ import annotations

import random

import pytest

from assistant.measure.added_times import AddedTimes, added_times, in_parts, with_added
from assistant.measure.paired import compare_timing
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.timing import Block, CaseTiming, PairTiming, TimedDevice

ORDERS = ("ABBA", "BAAB")


def blocks_of(a_s: float, b_s: float, spread: float = 1e-3, count: int = 20) -> tuple[Block, ...]:
    rng = random.Random(f"{a_s} {b_s}")
    orders = [ORDERS[number % 2] for number in range(count)]
    return tuple(Block(order, tuple((a_s if letter == "A" else b_s) * rng.gauss(1, spread) for letter in order)) for order in orders)


def case(a_s: float, b_s: float, method: str = "graph", count: int = 20, **more: bool) -> CaseTiming:
    return CaseTiming(
        "part", 1.0, blocks_of(a_s, b_s, count=count), method, 100, 1, 0.6e-6, 4, more.get("is_restored", False), "width", 0.1
    )


def compared(timed: CaseTiming) -> Comparison:
    return compare_timing(PairTiming((timed,), TimedDevice("NVIDIA H200", "GPU-1", "580.1", "nvcc")), seed=1)


def test_what_is_added_is_in_both_times_and_in_the_ratio() -> None:
    fills = AddedTimes(2e-6, 2e-6, 0.0)
    found = compared(with_added(case(50e-6, 20e-6), fills))
    assert found.ratio == pytest.approx(52 / 22, rel=1e-3)
    assert found.cases[0].before_s == pytest.approx(52e-6, rel=1e-3)
    assert found.cases[0].after_s == pytest.approx(22e-6, rel=1e-3)


def test_what_only_one_side_has_counts_there() -> None:
    added = compared(with_added(case(20e-6, 20e-6), AddedTimes(0.0, 2e-6, 0.0)))
    assert (added.outcome, added.ratio) == (SpeedOutcome.SLOWER, pytest.approx(20 / 22, rel=1e-3))
    left_out = compared(with_added(case(20e-6, 20e-6), AddedTimes(2e-6, 0.0, 0.0)))
    assert (left_out.outcome, left_out.ratio) == (SpeedOutcome.FASTER, pytest.approx(22 / 20, rel=1e-3))


def test_what_is_not_known_of_the_added_times_is_in_the_interval_and_in_the_margin() -> None:
    sure, unsure = (compared(with_added(case(22e-6, 20e-6), AddedTimes(2e-6, 2e-6, half_s))) for half_s in (0.0, 1e-6))
    assert sure.low and sure.high and unsure.low and unsure.high and sure.margin and unsure.margin
    assert unsure.low < sure.low < unsure.ratio < sure.high < unsure.high
    assert unsure.margin > sure.margin
    assert (sure.outcome, unsure.outcome) == (SpeedOutcome.FASTER, SpeedOutcome.INCONCLUSIVE)


def test_added_times_are_medians_of_what_was_read_in_runs_and_know_how_sure_they_are() -> None:
    steady, noisy = (added_times(blocks_of(4e-6, 2e-6, spread, count=5), 2, seed=3) for spread in (1e-3, 0.2))
    assert (steady.a_s, steady.b_s) == (pytest.approx(2e-6, rel=3e-3), pytest.approx(1e-6, rel=3e-3)), "of one of two repetitions"
    assert 0.0 < steady.half_width_s < 1e-8 < noisy.half_width_s


def test_a_side_without_any_adds_nothing() -> None:
    found = added_times(tuple(Block("ABBA", (0.0, 1e-6, 1e-6, 0.0)) for _ in range(5)), 1, seed=3)
    assert (found.a_s, found.b_s, found.half_width_s) == (0.0, pytest.approx(1e-6), pytest.approx(0.0, abs=1e-12))


def test_the_times_of_parts_add_up_as_often_as_each_comes() -> None:
    found = in_parts((case(10e-6, 5e-6), case(3e-6, 4e-6, "events", 12, is_restored=True)), (3, 1))
    comparison = compared(found)
    assert len(found.blocks) == 12
    assert comparison.cases[0].before_s == pytest.approx(33e-6, rel=1e-3)
    assert comparison.ratio == pytest.approx(33 / 19, rel=2e-3)
    assert comparison.outcome is SpeedOutcome.FASTER, "a part that is slower is no shape that is"
    assert (found.method, found.launches_per_call, found.is_restored) == ("graph", 4, True)
