"""Kernels that rules write from a model's functions, and what they leave to others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.operators.first_kernel import Declined, FirstKernel, first_kernel
from assistant.operators.graph import FunctionCall, Graph, TensorUse
from assistant.operators.launcher import Launcher, find_launcher
from assistant.operators.pointwise import expression

SHAPE = (6, 40)
DIAGONAL = TensorUse(0, 24, "float32", (6,), is_whole=False, strides=(41,), memory_bytes=960)


def use(memory: int, shape: tuple[int, ...] = SHAPE, dtype: str = "float32", *, is_whole: bool = True) -> TensorUse:
    size = 4
    for length in shape:
        size *= length
    return TensorUse(memory, size, dtype, shape, is_whole)


def call(name: str, kind: Any, writes: TensorUse, *arguments: Any, **named: Any) -> FunctionCall:
    reads = tuple(each for each in arguments if isinstance(each, TensorUse))
    return FunctionCall(name, 3, kind, reads, (writes,), 1, arguments, tuple(named.items()))


def kernel(*calls: FunctionCall, result: TensorUse, weights: tuple[tuple[str, TensorUse], ...] = ()) -> str:
    found = first_kernel(Graph((use(0),), weights, calls, (result,)), "ScaledNorm", ("x",))
    assert isinstance(found, FirstKernel), found
    assert isinstance(find_launcher(Path("/p/a.cu"), found.text), Launcher)
    return found.text


def reason(*calls: FunctionCall, result: TensorUse) -> str:
    x = next((each for call in calls for each in call.reads if each.memory == 0 and each.is_whole), use(0))
    found = first_kernel(Graph((x,), (), calls, (result,)), "Model", ("x",))
    assert isinstance(found, Declined)
    return found.reason


def test_a_chain_is_one_kernel_with_a_variable_for_each_function() -> None:
    bias = use(1, (40,))
    text = kernel(
        call("add", "pointwise", use(2), use(0), bias),
        call("relu", "pointwise", use(3), use(2)),
        result=use(3),
        weights=(("fc.bias", bias),),
    )
    assert "const float v0 = x_near[e] + fc_bias_near[e];  // add, line 3" in text and "y_near[e] = v1;" in text
    assert "load<WIDTH>(fc_bias_near, fc_bias + at % m);" in text and "m % 4 == 0 && is_aligned(y) && is_aligned(fc_bias)" in text
    assert 'weights  = { fc_bias = "fc.bias" }' in text and 'launcher = "scaled_norm"' in text


def test_a_function_in_place_takes_the_place_of_the_value_before() -> None:
    text = kernel(call("mul", "pointwise", use(1), use(0), 2), call("relu_", "pointwise", use(1), use(1)), result=use(1))
    assert "y_near[e] = v1;" in text and "v1 = v0 < 0.0f ? 0.0f : v0" in text


def test_channels_are_found_in_the_middle_of_a_shape() -> None:
    shape, scale = (2, 3, 4, 5), use(1, (3, 1, 1))
    graph = Graph((use(0, shape),), (("scale", scale),), (call("mul", "pointwise", use(2, shape), use(0, shape), scale),), (use(2, shape),))
    found = first_kernel(graph, "Model", ("x",))
    assert isinstance(found, FirstKernel) and "scale[at / (h * w) % c]" in found.text


def test_a_reduction_along_rows_has_a_warp_or_block_for_each() -> None:
    text = kernel(
        call("pow", "pointwise", use(1), use(0), 2),
        call("mean", "rows", use(2, (6, 1)), use(1), (-1,), True),
        call("rsqrt", "pointwise", use(3, (6, 1)), use(2, (6, 1))),
        call("mul", "pointwise", use(4), use(0), use(3, (6, 1))),
        result=use(4),
    )
    assert "r1 = sum_of_row(part_r1);" in text and "const float r2 = r1 / columns;" in text and "const float r3 = rsqrtf(r2);" in text
    assert "y_near[e] = v4;" in text and "const long long rows = n;" in text and "const int columns = m;" in text


def test_a_reduction_that_ends_the_model_leaves_a_value_for_each_row() -> None:
    text = kernel(call("amax", "rows", use(1, (6,)), use(0), (1,)), result=use(1, (6,)))
    assert 'outputs  = { y = ["n"] }' in text and "if (threadIdx.x == 0) y[row] = r0;" in text


def test_a_row_is_read_once_where_it_fits_into_registers() -> None:
    gamma = use(5, (40,))
    text = kernel(
        call("_softmax", "rows", use(1), use(0), -1, False),
        call("mul", "pointwise", use(2), use(1), gamma),
        result=use(2),
        weights=(("gamma", gamma),),
    )
    kept = text[text.index("template <int WIDTH, int ELEMENTS>") : text.index("// The same for rows that many blocks share")]
    assert kept.count("load<WIDTH>(x_kept[k], x + at);") == 1 and "x[" not in kept
    assert kept.count("load<WIDTH>(gamma_near, gamma + i);") == 1 and "* gamma_near[e];" in kept
    assert "columns % 4 == 0 && is_aligned(y) && is_aligned(gamma) && is_aligned(x)" in text
    assert "scaled_norm_kernel_kept<1, 16>" in text and "scaled_norm_kernel_kept<4, 32>" in text


def test_few_long_rows_are_shared_by_blocks_with_a_kernel_for_each_sum() -> None:
    text = kernel(call("_softmax", "rows", use(1), use(0), -1, False), result=use(1))
    order = [
        "parts_of_r0<4><<<dim3(splits, rows)",
        "parts_of_r2<4><<<dim3(splits, rows)",
        "_of_parts<4><<<dim3(splits, rows)",
        "cudaFreeAsync(parts, 0)",
    ]
    assert [text.index(each) for each in order] == sorted(text.index(each) for each in order)
    assert "const float r0 = max_of_parts(parts + (0 * rows + row) * splits, splits);" in text
    assert "parts[(1 * rows + row) * splits + blockIdx.x] = part_r2;" in text


def test_one_value_of_a_whole_tensor_is_one_row() -> None:
    target = use(1)
    loss = call("mse_loss", "reduction", use(2, ()), use(0), target)
    found = first_kernel(Graph((use(0), target), (), (loss,), (use(2, ()),)), "Model", ("x", "target"))
    assert isinstance(found, FirstKernel) and "outputs  = { y = [] }" in found.text
    assert "const long long rows = 1;" in found.text and "const int columns = n * m;" in found.text
    assert "part_r1 += v0 * v0;" in found.text and "_of_parts<4><<<dim3(1, rows)" in found.text


def test_rows_of_too_many_arrays_for_registers_are_read_again() -> None:
    inputs = tuple(use(number) for number in range(5))
    calls = [call("mul", "pointwise", use(9), inputs[0], inputs[1])]
    calls += [call("add_", "pointwise", use(9), use(9), each) for each in inputs[2:]]
    calls.append(call("_softmax", "rows", use(10), use(9), 1, False))
    found = first_kernel(Graph(inputs, (), tuple(calls), (use(10),)), "Model", ("p", "q", "s", "t", "u"))
    assert isinstance(found, FirstKernel) and "kept" not in found.text
    assert "float u_near[2][WIDTH];" in found.text, "two vectors of each of five arrays are on their way at once"


def test_a_long_row_is_read_once_for_its_mean_and_its_squares() -> None:
    norm = call("native_layer_norm", "rows", use(1), use(0), (40,), None, None, 1e-5)
    text = kernel(norm, result=use(1))
    streamed = text[text.index("scaled_norm_kernel(") : text.index("template <int WIDTH, int ELEMENTS>")]
    assert streamed.count("load<WIDTH>(x_near[k], x + at);") == 2 and "const float r0 = all_r2.sum, r2 = all_r2.squares;" in streamed
    shared = text[text.index("_parts_of_") :]
    assert "_parts_of_r0_r2<4><<<" in shared and shared.count("cudaMallocAsync") == 1 and "sizeof(float) * 5 * rows * splits" in shared
    kept = text[text.index("template <int WIDTH, int ELEMENTS>") : text.index("// The same for rows that many blocks share")]
    assert "Moments" not in kept and kept.count("sum_of_row(") == 2, "what is in registers is gone through twice"


def test_every_other_pass_goes_back_over_what_was_read_last() -> None:
    text = kernel(call("_softmax", "rows", use(1), use(0), -1, False), result=use(1))
    parts = [text[text.index(f"scaled_norm_{name}(") :] for name in ("parts_of_r0", "parts_of_r2", "of_parts")]
    places = ["row = blockIdx.y;", "row = gridDim.y - 1 - blockIdx.y;", "row = blockIdx.y;"]
    assert [each.split("const long long ")[1].split("\n")[0] for each in parts] == places
    goes_back = ["i = columns - WIDTH - begin" in each[: each.index("\n}\n")] for each in parts]
    assert goes_back == [False, True, False]


def test_sums_that_do_not_wait_for_each_other_are_of_one_reading() -> None:
    calls = (
        call("mean", "rows", use(1, (6, 1)), use(0), (1,), True),
        call("amax", "rows", use(2, (6, 1)), use(0), (1,), True),
        call("add", "pointwise", use(3, (6, 1)), use(1, (6, 1)), use(2, (6, 1))),
        call("sub", "pointwise", use(4), use(0), use(3, (6, 1))),
    )
    text = kernel(*calls, result=use(4))
    streamed = text[text.index("scaled_norm_kernel(") : text.index("template <int WIDTH, int ELEMENTS>")]
    assert streamed.count("load<WIDTH>(x_near[k], x + at);") == 2 and "parts_of_r0_r2<4><<<" in text


def test_four_neighbours_share_what_their_row_or_channel_has() -> None:
    shape, scale, bias = (2, 3, 4, 8), use(1, (3, 1, 1)), use(2, (8,))
    calls = (call("mul", "pointwise", use(3, shape), use(0, shape), scale), call("add", "pointwise", use(4, shape), use(3, shape), bias))
    found = first_kernel(Graph((use(0, shape),), (("scale", scale), ("bias", bias)), calls, (use(4, shape),)), "Model", ("x",))
    assert isinstance(found, FirstKernel)
    assert "const float scale_one = scale[at / (h * w) % c];" in found.text and "load<WIDTH>(bias_near, bias + at % w);" in found.text
    assert "w % 4 == 0 && is_aligned(y) && is_aligned(bias) && is_aligned(x);" in found.text


def test_columns_are_folded_by_threads_that_stand_side_by_side() -> None:
    shape, row = (2, 6, 5), (2, 1, 5)
    mean = call("mean", "reduction", use(1, row), use(0, shape), (1,), True)
    centred = call("sub", "pointwise", use(2, shape), use(0, shape), use(1, row))
    found = first_kernel(Graph((use(0, shape),), (), (mean, centred), (use(2, shape),)), "Model", ("x",))
    assert isinstance(found, FirstKernel)
    assert (
        "sum_of_columns<WIDTH>(r0);" in found.text
        and "r1[e] = r0[e] / columns;" in found.text
        and "const long long at = (outer * columns + i) * inner + column;" in found.text
    )
    assert "const int columns = n, inner = m;" in found.text and "const long long outer = b;" in found.text


def test_a_sum_over_the_first_dimension_leaves_the_others() -> None:
    text = kernel(call("sum", "reduction", use(1, (40,)), use(0), (0,)), result=use(1, (40,)))
    assert (
        'outputs  = { y = ["m"] }' in text
        and "store<WIDTH>(y + outer * inner + column, r0);" in text
        and "const int columns = n, inner = m;" in text
    )


def test_sizes_that_happen_to_be_equal_keep_their_names() -> None:
    square, bias = use(0, (6, 6)), use(1, (6,))
    calls = (call("add", "pointwise", use(2, (6, 6)), square, bias), call("amax", "rows", use(3, (6,)), use(2, (6, 6)), (1,)))
    found = first_kernel(Graph((square, bias), (), calls, (use(3, (6,)),)), "Model", ("x", "bias"))
    assert isinstance(found, FirstKernel)
    assert 'inputs   = { x = ["n", "m"], bias = ["m"] }' in found.text and 'outputs  = { y = ["n"] }' in found.text


def test_groups_of_channels_are_rows() -> None:
    shape, scale, bias = (2, 12, 4, 4), use(1, (12,)), use(2, (12,))
    norm = call("native_group_norm", "reduction", use(3, shape), use(0, shape), scale, bias, 2, 12, 16, 4, 1e-5)
    found = first_kernel(Graph((use(0, shape),), (("g", scale), ("beta", bias)), (norm,), (use(3, shape),)), "Model", ("x",))
    assert isinstance(found, FirstKernel)
    assert "const long long rows = (long long)b * 4;" in found.text and "const int columns = c / 4 * h * w;" in found.text
    assert "g[row % 4 * (c / 4) + i / (h * w)]" in found.text and "w % 4 == 0" in found.text


@pytest.mark.parametrize(
    ("calls", "result", "said"),
    [
        ((call("mse_loss", "reduction", use(1, ()), use(0), use(0), 0),), use(1, ()), "a reduction that rules do not write"),
        ((call("sum", "reduction", use(1, (3,)), use(0, (2, 3, 4)), (0, 2)),), use(1, (3,)), "do not stand side by side"),
        ((call("mm", "product", use(1), use(0), use(0)),), use(1), "neither element by element nor a reduction"),
        ((call("relu", "pointwise", use(1, (6,)), DIAGONAL),), use(1, (6,)), "in a way that rules do not follow"),
        ((call("relu_", "pointwise", use(0), use(0)),), use(0), "changes an input"),
        ((call("relu", "pointwise", use(1, dtype="int64"), use(0)),), use(1), "whole numbers in a way"),
        ((call("relu", "pointwise", use(1, dtype="int16"), use(0)),), use(1), "leaves int16"),
        ((call("lgamma", "pointwise", use(1), use(0)),), use(1), "a function that rules do not write"),
        ((call("mul", "pointwise", use(1), use(0), use(9)),), use(1), "no input and no weight"),
        ((), use(0), "0 function calls"),
    ],
)
def test_what_rules_do_not_write_is_said(calls: tuple[FunctionCall, ...], result: TensorUse, said: str) -> None:
    assert said in reason(*calls, result=result)


@pytest.mark.parametrize(
    ("name", "arguments", "named", "text"),
    [
        ("add", ("a", "b"), {"alpha": 2}, "a + 2.0f * b"),
        ("rsub", ("a", 1), {}, "1.0f - a"),
        ("pow", ("a", 3), {}, "a * a * a"),
        ("clamp", ("a", None, 6.0), {}, "a > 6.0f ? 6.0f : a"),
        ("leaky_relu", ("a",), {}, "a > 0.0f ? a : a * 0.01f"),
        ("hardtanh_", ("a", -1.0, 1.0), {}, "a < (-1.0f) ? (-1.0f) : a > 1.0f ? 1.0f : a"),
        ("where", ("m", "a", float("-inf")), {}, "m ? a : (-INFINITY)"),
        ("div", ("a", "b"), {"rounding_mode": "floor"}, None),
        ("bernoulli", ("a",), {}, None),
    ],
)
def test_functions_are_c_expressions(name: str, arguments: tuple[Any, ...], named: dict[str, Any], text: str | None) -> None:
    assert expression(name, arguments, named) == text
