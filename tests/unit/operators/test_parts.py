"""Kernels that rules write of models that read parts of tensors, pick one element of each row, or are given tensors that lie otherwise."""

from __future__ import annotations

import pytest

from assistant.operators.first_kernel import Declined
from assistant.operators.graph import TensorUse
from tests.unit.operators.test_first_kernel import SHAPE, call, use
from tests.unit.operators.test_wider_kernels import X, made, text, typed


def part(of: TensorUse, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> TensorUse:
    """Of the memory of a tensor."""
    return TensorUse(of.memory, 4, of.dtype, shape, is_whole=False, strides=strides, offset=offset, memory_bytes=of.bytes)


LEFT, RIGHT = part(X, (6, 20), (40, 1)), part(X, (6, 20), (40, 1), 20)
HALF = (6, 20)


def test_halves_of_a_row_are_read_where_they_lie() -> None:
    whole = text({"x": X}, call("silu", "pointwise", use(1, HALF), LEFT), call("mul", "pointwise", use(2, HALF), use(1, HALF), RIGHT))
    assert 'inputs   = { x = ["n", "m"] }' in whole and 'outputs  = { y = ["n", "m / 2"] }' in whole
    assert "load<WIDTH>(x_near, x + (at / (m / 2) * m + at % (m / 2)));" in whole
    assert "load<WIDTH>(x_2_near, x + (at / (m / 2) * m + at % (m / 2) + m / 2));" in whole and "(m / 2) % 4 == 0 &&" in whole


def test_a_part_whose_length_another_input_says_is_told_by_that() -> None:
    bias = use(1, (20,))
    whole = text({"x": X, "bias": bias}, call("add", "pointwise", use(2, HALF), RIGHT, bias))
    assert 'x = ["n", "2 * m"], bias = ["m"]' in whole and "x + (at / m * 2 * m + at % m + m)" in whole


def test_every_other_element_is_read_by_itself() -> None:
    odd = part(X, HALF, (40, 2), 1)
    whole = text({"x": X}, call("relu", "pointwise", use(1, HALF), odd))
    assert "load_each<WIDTH>(x_near, x + (at / 20 * 40 + at % 20 * 2 + 1), 2);" in whole and "is_aligned(y);" in whole


def test_a_part_that_begins_between_fours_is_read_by_itself() -> None:
    shape = (6, 4)
    whole = text({"x": X}, call("relu", "pointwise", use(1, shape), part(X, shape, (40, 1), 3)))
    assert "load_each<WIDTH>(x_near, x + (at / 4 * 40 + at % 4 + 3), 1);" in whole


def test_a_column_is_one_element_of_each_row() -> None:
    whole = text({"x": X}, call("relu", "pointwise", use(1, (6,)), part(X, (6,), (40,), 7)))
    assert "load_each<WIDTH>(x_near, x + at * 40 + 7, 40);" in whole and 'x = ["n", 40]' in whole


def test_the_softmax_of_a_part_is_that_of_its_rows() -> None:
    whole = text({"x": X}, call("_softmax", "rows", use(1, HALF), RIGHT, -1, False))
    assert "load<WIDTH>(" in whole and "x + row * m + i + m / 2)" in whole and "const int columns = m / 2;" in whole


def test_a_part_of_a_normalized_row_has_the_rows_own_sum_from_a_kernel_before() -> None:
    whole = text(
        {"x": X},
        call("sum", "rows", use(1, (6, 1)), X, (-1,), True),
        call("div", "pointwise", use(2), X, use(1, (6, 1))),
        call("relu", "pointwise", use(3, HALF), part(use(2), HALF, (40, 1), 20)),
    )
    assert "model_1(s0, x, n);" in whole and "s0[at / 20]" in whole and 'x = ["n", 40]' in whole


def test_a_part_of_a_softmax_is_read_from_what_a_kernel_before_leaves() -> None:
    whole = text(
        {"x": X}, call("_softmax", "rows", use(1), X, -1, False), call("exp", "pointwise", use(2, HALF), part(use(1), HALF, (40, 1), 20))
    )
    assert "s0 + (at / 20 * 40 + at % 20 + 20)" in whole and "model_1(s0, x" in whole
    assert 'x = ["n", 40]' in whole, "the part begins at an element of its own"


def test_a_dimension_that_is_also_read_in_part_has_the_models_own_size() -> None:
    whole = text(
        {"x": X},
        call("relu", "pointwise", use(1), X),
        call("relu", "pointwise", use(2, HALF), RIGHT),
        results=(use(1), use(2, HALF)),
    )
    assert 'x = ["n", 40]' in whole and 'y0 = ["n", 40], y1 = ["n", 20]' in whole


def test_pairs_that_are_turned_and_put_side_by_side_are_one_kernel() -> None:
    even, odd = part(X, HALF, (40, 2)), part(X, HALF, (40, 2), 1)
    turned, pairs = call("neg", "pointwise", use(1, HALF), odd), (6, 20, 2)
    stacked = call("stack", "pointwise", use(2, pairs), (use(1, HALF), even), -1)
    flat = TensorUse(2, 960, "float32", SHAPE, is_whole=True, memory_bytes=960)
    whole = text({"x": X}, turned, stacked, results=(flat,))
    assert whole.count("__global__") == 1 and "(at % 2 + e) == 0 ? v0 : x_2_one;" in whole and 'x = ["n", 40]' in whole


def test_an_input_that_lies_otherwise_is_given_row_by_row() -> None:
    turned = TensorUse(0, 960, "float32", (6, 40), is_whole=False, strides=(1, 6), memory_bytes=960)
    every_other = TensorUse(0, 960, "float32", (6, 40), is_whole=False, strides=(160, 2), memory_bytes=3840)
    for x in (turned, every_other):
        assert "y_near[e] = v0;" in text({"x": x}, call("relu", "pointwise", use(1), x))
        whole = text({"x": x}, call("relu", "pointwise", use(1, (40, 6)), part(x, (40, 6), x.steps[::-1])))
        assert "x_tile[32][33]" in whole and 'inputs   = { x = ["m", "n"] }' in whole


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"x": TensorUse(0, 160, "float32", (6, 40), is_whole=False, strides=(0, 1), memory_bytes=160)}, "x is expanded"),
        ({"p": X, "q": X}, "q and p_in share their memory"),
    ],
)
def test_inputs_whose_elements_are_not_their_own_are_left_to_others(inputs: dict[str, TensorUse], said: str) -> None:
    found = made(inputs, call("relu", "pointwise", use(1), next(iter(inputs.values()))))
    assert isinstance(found, Declined) and said in found.reason


def test_one_element_of_each_row_is_picked_by_its_number() -> None:
    numbers = typed(1, "int64", 6, 1)
    whole = text({"x": X, "at_of": numbers}, call("gather", "other", use(2, (6, 1)), X, -1, numbers))
    assert "? x_near[e] : 0.0f" in whole or "? x_kept[k][e] : 0.0f" in whole
    assert 'at_of = ["n", 1]' in whole and "const long long r0 = at_of[row];" in whole


@pytest.mark.parametrize(("reduction", "kernels"), [(0, 1), (1, 2), (2, 2)])
def test_the_loss_of_class_numbers_is_a_pick_and_a_mean(reduction: int, kernels: int) -> None:
    target = typed(1, "int64", 6)
    shape = (6,) if reduction == 0 else ()
    logs = call("_log_softmax", "rows", use(2), X, 1, False)
    loss = call("nll_loss_forward", "reduction", use(3, shape), use(2), target, None, reduction, -100)
    whole = text({"x": X, "target": target}, logs, loss)
    assert whole.count("__global__") >= kernels and ("model_2(" in whole) is (kernels == 2)
    assert "== -100" in whole and 'target = ["n"]' in whole


def test_a_loss_with_weights_of_its_classes_is_left_to_others() -> None:
    loss = call("nll_loss_forward", "reduction", use(3, ()), X, typed(1, "int64", 6), use(4, (40,)), 1, -100)
    found = made({"x": X, "target": typed(1, "int64", 6), "weight": use(4, (40,))}, loss)
    assert isinstance(found, Declined) and "a reduction that rules do not write" in found.reason
