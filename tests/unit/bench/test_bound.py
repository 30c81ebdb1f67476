"""The bound: bytes at the bandwidth or operations at the peak, whichever is more."""

from __future__ import annotations

import pytest

from assistant.bench.bound import bound_of
from assistant.bench.task import Arithmetic, Requirements
from assistant.measure.targets import target

H200 = target("h200")


def needed(size_bytes: float, operations: float, arithmetic: Arithmetic = "float", step_bytes: float | None = None) -> Requirements:
    return Requirements(size_bytes, step_bytes, operations, arithmetic, "")


def test_many_bytes_take_the_bandwidth() -> None:
    bound = bound_of(needed(4.8e9 + H200.l2_bytes, 1.0), H200)
    assert (bound.time_s, bound.by) == (1e-3, "DRAM"), "but for what L2 can hold"


def test_data_that_fit_into_l2_take_its_bandwidth() -> None:
    bound = bound_of(needed(9.7e6, 1.0), H200)
    assert (bound.time_s, bound.by) == (1e-6, "L2")


def test_many_operations_take_the_peak_of_their_type() -> None:
    """The data sheet's 67 TFLOPS of fp32; half as many of fp64."""
    single, double = bound_of(needed(0.0, 67e12), H200), bound_of(needed(0.0, 67e12, "double"), H200)
    assert abs(single.time_s - 1.0) < 0.01 and single.by == "float"
    assert double.time_s == 2 * single.time_s and double.by == "double"


def test_steps_count_each_unless_they_are_joined() -> None:
    once = 4.8e9 + H200.l2_bytes
    bound = bound_of(needed(once, 0.0, step_bytes=10 * once), H200)
    assert (bound.time_s, bound.alone_s, bound.is_in_steps) == (1e-2, 1e-3, True)


def test_bytes_that_l2_cannot_hold_have_a_time_in_dram_too() -> None:
    bound = bound_of(needed(4.8e9, 1.0), H200)
    assert bound.all_from_dram_s == 1e-3 and bound.time_s < 1e-3
    assert bound_of(needed(4.8e9, 0.0, step_bytes=48e9), H200).all_from_dram_s == pytest.approx(1e-2)
    assert bound_of(needed(H200.l2_bytes, 1.0), H200).all_from_dram_s is None
    assert bound_of(needed(4.8e9, 67e12), H200).all_from_dram_s is None, "operations take longer"


def test_each_step_of_small_fields_takes_l2() -> None:
    bound = bound_of(needed(9.7e6, 0.0, step_bytes=97e6), H200)
    assert (bound.time_s, bound.by) == (pytest.approx(1e-5), "L2")
