"""The automatic tolerance: twice the original's own error, by the numbers of the design."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.verification import Outcome
from assistant.verify.numbers import bits, floats, guessed_type, is_rounding, rms, sample_places
from assistant.verify.tolerance import (
    Allowance,
    Errors,
    allowance,
    errors_of,
    grade,
    is_plausible_reference,
    one_ulp,
    pooled,
    regrouping,
    usual_errors,
    with_marks_of,
    without_marks,
)

FLOAT = parse_element_type("float")
assert FLOAT is not None
U = 2.0**-24


def test_the_allowance_is_the_rule_of_the_design() -> None:
    reference = np.tile([3.0, -4.0], 50)
    allowed = allowance(Errors(rms=0.1, max=0.2), U, reference)
    assert allowed.rms == pytest.approx(0.2 + 2 * U * np.sqrt(12.5), rel=1e-12)
    assert allowed.max == pytest.approx(0.8 + 8 * U * 4, rel=1e-12)


def test_an_output_of_few_elements_has_one_bound() -> None:
    allowed = allowance(Errors(rms=0.1, max=0.2), U, np.array([3.0, -4.0]))
    assert allowed.rms == allowed.max == pytest.approx(0.8 + 8 * U * 4, rel=1e-12)


@pytest.mark.parametrize(
    ("rms_error", "max_error", "changed", "outcome"),
    [
        (1.0, 1.0, False, Outcome.PASS),
        (1.01, 1.0, False, Outcome.FAIL),
        (1.0, 1.01, False, Outcome.FAIL),
        (1.01, 1.0, True, Outcome.NEEDS_DECISION),
        (100.0, 100.0, True, Outcome.NEEDS_DECISION),
        (100.1, 1.0, True, Outcome.FAIL),
        (100.0, 100.0, False, Outcome.FAIL),
    ],
)
def test_only_a_detected_precision_change_may_go_to_a_hundred_times(
    rms_error: float, max_error: float, changed: bool, outcome: Outcome
) -> None:
    assert grade(Errors(rms_error, max_error), Allowance(1.0, 1.0), changed) is outcome


@pytest.mark.parametrize(("spelled", "roundoff"), [("half", 2.0**-11), ("bfloat16", 2.0**-8), ("float", 2.0**-24), ("double", 2.0**-53)])
def test_unit_roundoffs(spelled: str, roundoff: float) -> None:
    element = parse_element_type(spelled)
    assert element is not None and element.unit_roundoff == roundoff


def test_a_lucky_small_output_borrows_the_errors_of_the_other_cases() -> None:
    own = pooled([Errors(0.0, 0.0), Errors(3.0, 3.0)], scales=[10.0, 1.0], counts=[1, 1])
    assert own[0].rms == pytest.approx(10 * np.sqrt(4.5)) and own[0].max == 30.0
    assert own[1].max == 3.0


def test_errors_of_very_large_values_are_pooled_too() -> None:
    own = pooled([Errors(3e200, 3e200), Errors(4e200, 4e200)], scales=[1.0, 1.0], counts=[1, 1])
    assert own[0].rms == pytest.approx(5e200 / np.sqrt(2))


def test_one_cell_of_a_large_output_does_not_stand_for_all() -> None:
    """Half of all values went into the first cell, in another order than the original's."""
    reference = np.full(2738, 0.01)
    reference[0] = 66.7
    values = reference + 1e-9
    values[0] += 2.8e-4
    allowed = allowance(Errors(rms=2.85e-6, max=1.13e-4), U, reference)
    assert errors_of(values, reference).rms > 5e-6, "by the plain rule the cell is twice too far off"
    assert grade(usual_errors(values, reference), allowed, False) is Outcome.PASS
    values[0] += 4e-4
    assert grade(usual_errors(values, reference), allowed, False) is Outcome.FAIL, "the bound for each element holds for it"
    values = reference + 2e-5
    assert grade(usual_errors(values, reference), allowed, False) is Outcome.FAIL, "and the first bound for the others"


def test_few_errors_are_all_counted() -> None:
    reference = np.zeros(99)
    values = np.zeros(99)
    values[0] = 1.0
    assert usual_errors(values, reference) == errors_of(values, reference)


def test_a_large_output_keeps_its_own_error() -> None:
    assert pooled([Errors(0.0, 0.0), Errors(3.0, 3.0)], [1.0, 1.0], [1000, 1])[0] == Errors(0.0, 0.0)


def test_a_reference_that_computes_something_else_is_not_believed() -> None:
    reference = np.ones(4)
    assert is_plausible_reference(Errors(1e-5, 1e-5), U, reference)
    assert not is_plausible_reference(Errors(0.5, 0.5), U, reference)


@pytest.mark.parametrize("spelled", ["float", "double", "half", "bfloat16", "float4"])
def test_every_float_moves_by_one_ulp_and_zeros_stay(spelled: str) -> None:
    element = parse_element_type(spelled)
    assert element is not None
    patterns = np.arange(256, dtype=f"<u{element.scalar_bytes}") << (8 * element.scalar_bytes - 10)
    data = patterns.tobytes()
    moved = one_ulp(data, element, 1)
    distance = np.abs(bits(moved, element).astype(np.int64) - patterns.astype(np.int64))
    values = floats(data, element)
    moves = np.isfinite(values) & (values != 0)
    assert np.all(distance[moves] == 1) and np.all(distance[~moves] == 0)
    assert np.all(np.isfinite(floats(moved, element)) == np.isfinite(values))
    assert one_ulp(data, element, 2) != moved


def test_integers_are_not_perturbed() -> None:
    element = parse_element_type("int")
    assert element is not None
    assert one_ulp(b"\x01\x00\x00\x00", element, 1) == b"\x01\x00\x00\x00"


def test_rms_of_huge_values_does_not_overflow() -> None:
    assert rms(np.full(4, 1e300)) == pytest.approx(1e300)
    assert errors_of(np.zeros(0), np.zeros(0)) == Errors(0.0, 0.0)


def test_types_are_guessed_from_everyday_numbers() -> None:
    random = np.random.default_rng(0)
    assert guessed_type(random.standard_normal(100).astype(np.float32).tobytes()) == "float"
    assert guessed_type(random.standard_normal(100).tobytes()) == "double"
    assert guessed_type(np.arange(100, dtype=np.int32).tobytes()) is None
    assert guessed_type(b"") is None


def test_numbers_that_fall_off_to_nothing_pass_for_floats_and_random_words_do_not() -> None:
    random = np.random.default_rng(1)
    prices = np.exp(-random.exponential(10, 1000)).astype(np.float32)
    assert guessed_type(prices.tobytes()) == "float"
    assert guessed_type(random.bytes(4000)) is None
    assert guessed_type(random.integers(1, 2**30, 1000).astype(np.int32).tobytes()) is None


def test_a_sum_of_a_million_terms_one_by_one_is_still_the_sum() -> None:
    """Measured on an H200: 2^20 floats added atomically into one ended 4.3e-4 from their sum; that is more than half of the digits."""
    total, off = np.array([103855.227]), Errors(44.5, 44.5)
    assert not is_plausible_reference(off, 2.0**-24, total)
    assert is_plausible_reference(off, 2.0**-24, total, term_count=2.0**20)
    assert not is_plausible_reference(Errors(0.05 * total[0], 0.05 * total[0]), 2.0**-24, total, term_count=2.0**30)


@pytest.mark.parametrize(("dtype", "near", "far"), [(np.float32, 1e-6, 1e-3), (np.float64, 1e-14, 1e-6)])
def test_numbers_next_to_each_other_are_rounding(dtype: type[np.floating], near: float, far: float) -> None:
    values = (np.random.default_rng(4).uniform(1, 9, 100)).astype(dtype)
    close, distant = ((values * (1 + np.where(np.arange(100) % 3, 0, share))).astype(dtype).tobytes() for share in (near, far))
    assert is_rounding(values.tobytes(), close) and not is_rounding(values.tobytes(), distant) and not is_rounding(b"", b"")


def test_marks_are_no_measure_of_the_values_next_to_them() -> None:
    top = float(np.finfo(np.float32).max)
    values = np.tile([3.0, -4.0], 50)
    marked = np.concatenate([values, [top] * 7])
    own = Errors(rms=0.1, max=0.2)
    assert allowance(own, U, marked) == allowance(own, U, values) and regrouping(U, marked, 9) == regrouping(U, values, 9)
    assert without_marks(marked, U).tolist() == values.tolist()


@pytest.mark.parametrize(
    "values", [np.array([1e30, 1.0, 2.0]), np.array([100.0, 100.0, 1.0]), np.full(9, 1e30), np.zeros(9), np.array([1e30, 1e30, 0.0])]
)
def test_a_large_value_that_stands_once_or_alone_is_no_mark(values: np.ndarray) -> None:
    assert without_marks(values, U).size == values.size


def test_a_mark_may_be_off_by_roundoff_alone() -> None:
    reference = np.array([1e30, 1e30, 1.0, 2.0])
    assert with_marks_of(reference, reference * (1 + U), U).tolist() == [1e30, 1e30, 1 + U, 2 * (1 + U)]
    assert with_marks_of(reference, reference / 2, U).tolist() == [5e29, 5e29, 0.5, 1.0]


@pytest.mark.parametrize("width", [64, 100, 1024, 4096, 4097, 5000])
def test_a_sample_of_a_table_looks_into_all_of_its_columns(width: int) -> None:
    places = sample_places(width * 4096, 4096)
    columns = np.unique(places % width * 64 // width)
    assert 4000 <= places.size <= 4096 and 0 <= places[0] < places[-1] < width * 4096
    assert columns.size == 64 and np.unique(places // width * 64 // 4096).size == 64


def test_a_sample_of_little_is_all_of_it() -> None:
    assert sample_places(5, 4096).tolist() == [0, 1, 2, 3, 4]
    assert sample_places(0, 4096).size == 0
