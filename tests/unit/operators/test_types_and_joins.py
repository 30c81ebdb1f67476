"""Kernels that rules write for floats of 16 and 64 bits, and for tensors that are joined."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.operators.first_kernel import Declined, FirstKernel
from assistant.operators.graph import Filled, TensorUse
from tests.unit.operators import test_wider_kernels as wider
from tests.unit.operators.test_first_kernel import call, use

SIZES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
A, B = use(0, (6, 12)), use(1, (6, 28))


def floats(memory: int, dtype: str, *shape: int) -> TensorUse:
    size = SIZES[dtype]
    for length in shape:
        size *= length
    return TensorUse(memory, size, dtype, shape, is_whole=True)


@pytest.mark.parametrize(("dtype", "c_type", "header"), [("float16", "__half", "fp16"), ("bfloat16", "__nv_bfloat16", "bf16")])
def test_what_has_16_bits_in_memory_is_computed_in_floats(dtype: str, c_type: str, header: str) -> None:
    x, sums, means, y = (floats(0, dtype, 6, 40), floats(1, dtype, 6, 1), floats(2, dtype, 6, 40), floats(3, dtype, 6, 40))
    whole = wider.text(
        {"x": x},
        call("mean", "rows", sums, x, (-1,), True),
        call("sub", "pointwise", means, x, sums),
        call("relu", "pointwise", y, means),
    )
    assert f"#include <cuda_{header}.h>" in whole and f"load(float* to, const {c_type}* from)" in whole
    assert f"void model({c_type}* y, const {c_type}* x, int n, int m)" in whole
    assert "float part_r" in whole and "float x_kept[ELEMENTS / WIDTH][WIDTH];" in whole and "float y_near[WIDTH];" in whole


def test_what_a_model_converts_to_16_bits_loses_its_digits() -> None:
    x, half, y = use(0), floats(1, "float16", 6, 40), use(2)
    whole = wider.text({"x": x}, call("_to_copy", "pointwise", half, x, dtype="torch.float16"), call("mul", "pointwise", y, half, 3))
    assert "const float v0 = __half2float(__float2half(x_near[e]));" in whole and "const float v1 = v0 * 3.0f;" in whole


def test_doubles_are_computed_as_such() -> None:
    x, y, z = floats(0, "float64", 6, 40), floats(1, "float64", 6, 40), floats(2, "float64", 6, 40)
    whole = wider.text({"x": x}, call("exp", "pointwise", y, x), call("add", "pointwise", z, y, 0.1))
    assert "const double v0 = exp(x_near[e]);" in whole and "const double v1 = v0 + 0.1;" in whole and "double2" in whole


def test_tensors_side_by_side_are_read_by_vectors_where_each_begins_at_a_fourth_element() -> None:
    joined = call("cat", "other", use(2), (A, B), -1)
    whole = wider.text({"a": A, "x": B}, joined, call("relu", "pointwise", use(3), use(2)))
    assert "load<WIDTH>(a_near, a + (at / 40 * 12 + clamped(at % 40, 12 - WIDTH)));" in whole
    assert "load<WIDTH>(x_near, x + (at / 40 * 28 + clamped(at % 40 - 12, 28 - WIDTH)));" in whole
    assert "const float v0 = (at % 40 + e) < 12 ? a_near[e] : x_near[e];  // cat, line 3" in whole


def test_neighbours_of_two_tensors_are_read_one_by_one() -> None:
    parts = (use(0, (6, 13)), use(1, (6, 27)))
    whole = wider.text({"a": parts[0], "x": parts[1]}, call("cat", "other", use(2), parts, 1))
    assert "const bool has_fours = 40 % 4 == 0 && false /* four neighbours may be of two of the arrays that are joined */;" in whole


def test_joined_channels_have_their_vectors_along_the_width() -> None:
    parts = (use(0, (2, 3, 8)), use(1, (2, 2, 8)))
    whole = wider.text({"a": parts[0], "x": parts[1]}, call("cat", "other", use(2, (2, 5, 8)), parts, 1))
    assert "clamped(at / m % (n2 + m2) - n2, m2 - 1) * m" in whole and "m % 4 == 0" in whole
    assert '{ a = ["b", "n2", "m"], x = ["b", "m2", "m"] }' in whole and 'y = ["b", "n2 + m2", "m"]' in whole


def test_a_batch_that_is_joined_is_as_long_as_the_inputs_say() -> None:
    parts = (use(0, (6, 8)), use(1, (5, 8)), use(2, (1, 8)))
    found = wider.made({"a": parts[0], "x": parts[1], "z": parts[2]}, call("cat", "other", use(3, (12, 8)), parts, 0))
    assert isinstance(found, FirstKernel) and found.is_for_any_model
    assert '{ a = ["n2", "m"], x = ["m2", "m"], z = ["k2", "m"] }' in found.text and 'y = ["n2 + m2 + k2", "m"]' in found.text
    assert "(at / m) < n2 ? a_near[e] : (at / m) < n2 + m2 ? x_near[e] : z_near[e];" in found.text
    assert "if (k2 > 0) load<WIDTH>(z_near, z + (clamped(at / m - (n2 + m2), k2 - 1) * m + at % m));" in found.text


def test_what_an_earlier_kernel_leaves_is_as_long_as_what_it_reads() -> None:
    parts = (use(0, (6, 8)), use(1, (5, 8)))
    softmax = call("_softmax", "rows", use(2, (6, 8)), parts[0], -1, False)
    whole = wider.text({"a": parts[0], "x": parts[1]}, softmax, call("cat", "other", use(3, (11, 8)), (use(2, (6, 8)), parts[1]), 0))
    assert '{ a = ["n2", "m"], x = ["m2", "m"] }' in whole and "sizeof(float) * (size_t)n2 * m" in whole


def test_a_weight_that_is_joined_keeps_its_size() -> None:
    parts = (use(0, (1, 8)), use(1, (5, 8)))
    joined = call("cat", "other", use(2, (6, 8)), parts, 0)
    whole = wider.text({"x": parts[1]}, joined, start=parts[0])
    assert '{ x = ["n2", "m"] }' in whole and 'y = ["1 + n2", "m"]' in whole and "clamped(at / m - 1, n2 - 1)" in whole


def test_one_weight_for_each_element_of_a_batch_is_joined_to_it() -> None:
    """As the class token of a vision transformer, ``cls.expand(b, -1, -1)``."""
    token, x = use(0, (1, 1, 8)), use(1, (4, 6, 8))
    expanded = TensorUse(0, 32, "float32", (4, 1, 8), is_whole=False, strides=(0, 8, 1), memory_bytes=32)
    whole = wider.text({"x": x}, call("cat", "other", use(2, (4, 7, 8)), (expanded, x), 1), cls=token)
    assert '{ x = ["b", "n2", "m"] }' in whole and 'y = ["b", "1 + n2", "m"]' in whole
    assert "load<WIDTH>(cls_near, cls + at % m);" in whole, "the same eight for all of the batch"


def test_a_batch_that_is_joined_to_one_of_unknown_size_stays_as_it_was() -> None:
    """As many ones as there are rows, or as many as the model says."""
    ones, many = use(1, (5, 8)), use(0, (5, 8))
    joined = call("cat", "other", use(2, (10, 8)), (ones, many), 0)
    whole = wider.text({"x": many}, joined, filled=(Filled(ones, 1.0, 0),))
    assert '{ x = [5, "m"] }' in whole and 'y = [10, "m"]' in whole


def test_what_is_joined_before_a_reduction_is_a_kernel_of_its_own() -> None:
    joined = call("cat", "other", use(2), (A, B), -1)
    whole = wider.text({"a": A, "x": B}, joined, call("_softmax", "rows", use(3), use(2), -1, False))
    assert whole.index("model_1(s0, a, x, n);") < whole.index("model_2(y, s0, n);") and "clamped(" in wider.body(whole, "model_1_kernel")


def test_halves_that_change_places_are_read_where_they_lie() -> None:
    """As rotary embeddings do."""
    first = TensorUse(0, 480, "float32", (6, 20), is_whole=False, strides=(40, 1), memory_bytes=960)
    second = TensorUse(0, 480, "float32", (6, 20), is_whole=False, strides=(40, 1), offset=20, memory_bytes=960)
    negated = call("neg", "pointwise", use(1, (6, 20)), second)
    whole = wider.text({"x": use(0)}, negated, call("cat", "other", use(2), (use(1, (6, 20)), first), -1))
    assert "load<WIDTH>(x_near, x + (at / 40 * 40 + (20 + clamped(at % 40, 20 - WIDTH))));" in whole
    assert "load<WIDTH>(x_2_near, x + (at / 40 * 40 + clamped(at % 40 - 20, 20 - WIDTH)));" in whole


def doubles_reduced() -> object:
    x = floats(0, "float64", 6, 40)
    return wider.made({"x": x}, call("sum", "rows", floats(1, "float64", 6), x, (-1,)))


def several_types_joined() -> object:
    half = floats(1, "float16", 6, 28)
    return wider.made({"a": A, "x": half}, call("cat", "other", use(2), (A, half), -1))


def many_joined() -> object:
    return wider.made({"a": A}, call("cat", "other", use(2, (6, 60)), (A,) * 5, -1))


@pytest.mark.parametrize(
    ("found", "said"),
    [(doubles_reduced, "sum (line 3) reduces float64"), (several_types_joined, "of several types"), (many_joined, "joins more tensors")],
)
def test_what_is_left_to_others_is_said(found: Callable[[], object], said: str) -> None:
    answer = found()
    assert isinstance(answer, Declined) and said in answer.reason, answer
