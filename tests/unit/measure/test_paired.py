"""What timed blocks amount to: verdict, margin, and what is not believed."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from assistant.measure.bounds import Quarantine, quarantine_cases
from assistant.measure.paired import compare_timing
from assistant.model.comparison import SpeedOutcome
from assistant.model.timing import Block, CaseTiming, GpuState, PairTiming, TimedDevice

DEVICE = TimedDevice("NVIDIA H200", "GPU-1", "580.1", "nvcc 13.0.88", after=GpuState(sm_clock_hz=1.98e9, temperature_c=41.0))


def case(a_s: float, b_s: float, shape: str = "n=1", weight: float = 1.0, spread: float = 1e-3, count: int = 20) -> CaseTiming:
    rng = random.Random(shape)
    orders = ("ABBA", "BAAB") * (count // 2)
    blocks = tuple(Block(order, tuple((a_s if letter == "A" else b_s) * rng.gauss(1, spread) for letter in order)) for order in orders)
    return CaseTiming(shape, weight, blocks, "graph", 100, 1, 0.6e-6, 4, False, "width", 0.1)


def compared(*cases: CaseTiming):
    return compare_timing(PairTiming(cases, DEVICE), seed=1)


def test_a_gain_beyond_the_margin_is_faster_with_both_times() -> None:
    found = compared(case(103e-6, 100e-6))
    assert (found.outcome, found.quality) == (SpeedOutcome.FASTER, "good")
    assert found.low is not None and found.high is not None and found.low < 1.03 < found.high
    assert found.cases[0].before_s == pytest.approx(103e-6, rel=1e-3)
    assert found.cases[0].after_s == pytest.approx(100e-6, rel=1e-3)


def test_equal_times_are_the_same() -> None:
    assert compared(case(100e-6, 100e-6)).outcome is SpeedOutcome.SAME


def test_a_shape_that_gets_slower_forbids_faster_overall() -> None:
    found = compared(case(100e-6, 50e-6), case(10e-6, 11e-6, shape="n=2"))
    assert found.ratio > 1.5
    assert found.outcome is SpeedOutcome.INCONCLUSIVE


def test_a_kernel_of_a_few_hundred_nanoseconds_needs_more_than_a_few_percent() -> None:
    """Two loads of the same code differ by nanoseconds, however often they are timed."""
    found = compared(case(0.30e-6, 0.29e-6, spread=1e-4))
    assert found.outcome is SpeedOutcome.INCONCLUSIVE
    assert found.quality == "poor"
    assert compared(case(0.40e-6, 0.29e-6, spread=1e-4)).outcome is SpeedOutcome.FASTER


def test_the_method_names_the_device_and_how_times_were_taken() -> None:
    method = compared(case(103e-6, 100e-6)).method
    how = ("ABBA", "graphs of 100 calls", "0.60 µs of an empty kernel", "n=20 blocks")
    for part in (*how, "NVIDIA H200", "driver 580.1", "nvcc 13.0.88", "1980 MHz", "41 °C"):
        assert part in method


def test_a_time_below_what_the_bytes_need_is_quarantined() -> None:
    found = compared(case(100e-6, 10e-6))
    doubted = quarantine_cases(found, {"n=1": 12e-6})
    assert isinstance(doubted, Quarantine)
    assert doubted.comparison.outcome is SpeedOutcome.INCONCLUSIVE
    assert "10 µs, less than the 12 µs" in doubted.reason
    assert quarantine_cases(found, {"n=1": 9e-6}) is found
    assert quarantine_cases(found, {}) is found


def test_a_kernel_that_takes_no_longer_than_an_empty_one_still_has_a_ratio() -> None:
    nothing = replace(case(1e-4, 1e-4), blocks=tuple(Block("ABBA", (1e-4, -1e-9, 0.0, 1e-4)) for _ in range(20)))
    assert math.isfinite(compared(nothing).ratio)


def test_many_launches_that_take_no_longer_than_empty_ones_are_inconclusive() -> None:
    many = replace(case(1e-4, -1e-9), launches_per_call=100)
    assert compared(many).outcome is SpeedOutcome.INCONCLUSIVE
