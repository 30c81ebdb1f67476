"""Kernels that rules write of what is no chain or row of plain floats: masks, places, views, several reductions, running sums."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.operators.first_kernel import Declined, FirstKernel, first_kernel
from assistant.operators.graph import Argument, Filled, FunctionCall, Graph, TensorUse
from assistant.operators.launcher import Launcher, find_launcher
from tests.unit.operators.test_first_kernel import call, use

X = use(0)
DIAGONAL = TensorUse(1, 24, "float32", (6,), is_whole=False, strides=(41,), memory_bytes=960)
SIZES = {"float32": 4, "bool": 1, "int64": 8}


def view(of: TensorUse, shape: tuple[int, ...], *strides: int) -> TensorUse:
    """Of the memory of a tensor."""
    return TensorUse(of.memory, of.bytes, of.dtype, shape, is_whole=False, strides=strides, memory_bytes=of.bytes)


def typed(memory: int, dtype: str, *shape: int) -> TensorUse:
    size = SIZES[dtype]
    for length in shape:
        size *= length
    return TensorUse(memory, size, dtype, shape, is_whole=True)


WHOLE = typed(0, "int64", 6, 40)


def made(
    inputs: dict[str, TensorUse],
    *calls: FunctionCall,
    results: tuple[TensorUse, ...] = (),
    filled: tuple[Filled, ...] = (),
    **weights: TensorUse,
) -> FirstKernel | Declined:
    graph = Graph(tuple[Argument, ...](inputs.values()), tuple(weights.items()), calls, results or calls[-1].writes, filled)
    return first_kernel(graph, "Model", tuple(inputs))


def text(*given: Any, **further: Any) -> str:
    found = made(*given, **further)
    assert isinstance(found, FirstKernel), found
    assert isinstance(find_launcher(Path("/p/a.cu"), found.text), Launcher), found.text
    return found.text


def body(whole: str, name: str) -> str:
    """Of the first function of this name."""
    start = whole.index(f" {name}(")
    return whole[start : whole.index("\n}\n", start)]


def test_a_rows_value_that_is_expanded_over_the_row_is_read_as_that() -> None:
    norm = call("linalg_vector_norm", "rows", use(1, (6, 1)), X, 2, (1,), True)
    quotient = call("div", "pointwise", use(2), X, view(use(1, (6, 1)), (6, 40), 1, 0))
    kept = body(text({"x": X}, norm, quotient), "model_kernel_kept")
    assert "const float v2 = x_kept[k][e] / r1;" in kept and kept.count("load<WIDTH>(x_kept") == 1


def test_a_rows_value_is_subtracted_from_another_tensor() -> None:
    other = use(1)
    mean = call("mean", "rows", use(2, (6, 1)), X, (1,), True)
    whole = text({"x": X, "other": other}, mean, call("sub", "pointwise", use(3), other, use(2, (6, 1))))
    assert "const float v2 = other_kept[k][e] - r1;" in whole


def test_a_mask_is_read_as_bools_four_at_a_time() -> None:
    mask = typed(1, "bool", 6, 40)
    filled = call("masked_fill", "pointwise", use(2), X, mask, float("-inf"))
    whole = text({"x": X, "mask": mask}, filled, call("_softmax", "rows", use(3), use(2), -1, False))
    assert "void model(float* y, const float* x, const bool* mask, int n, int m)" in whole
    assert "reinterpret_cast<const uchar4*>(from)" in whole and "load<WIDTH>(mask_kept[k], mask + at);" in whole
    assert "const float v0 = mask_kept[k][e] ? (-INFINITY) : x_kept[k][e];" in whole


def test_a_mask_of_one_row_for_many_is_found_by_their_place() -> None:
    x, mask = use(0, (2, 3, 4, 8)), typed(1, "bool", 2, 1, 1, 8)
    whole = text({"x": x, "mask": mask}, call("masked_fill", "pointwise", use(2, (2, 3, 4, 8)), x, mask, 0.0))
    assert "load<WIDTH>(mask_near, mask + (at / (c * h * w) * w + at % w));" in whole
    assert 'mask = ["b", 1, 1, "w"]' in whole


def test_whole_numbers_are_floats_where_pytorch_makes_them_so() -> None:
    mask = typed(1, "int64", 6, 40)
    whole = text({"x": X, "mask": mask}, call("mul", "pointwise", use(2), X, mask))
    assert "const float v0 = x_near[e] * (float)mask_near[e];" in whole and "make_longlong2" in whole


def test_whole_numbers_are_compared_as_such() -> None:
    ids = typed(1, "int64", 6, 40)
    equal = call("eq", "pointwise", typed(2, "bool", 6, 40), ids, 16_777_217)
    whole = text({"x": X, "ids": ids}, equal, call("where", "pointwise", use(3), typed(2, "bool", 6, 40), X, 0.0))
    assert "const bool v0 = ids_near[e] == 16777217;" in whole


def test_elements_that_hold_are_counted_in_whole_numbers() -> None:
    positive = call("gt", "pointwise", typed(1, "bool", 6, 40), X, 0)
    whole = text({"x": X}, positive, call("sum", "rows", typed(2, "int64", 6), typed(1, "bool", 6, 40), (-1,)))
    assert "long long part_r1 = 0;" in whole and "void model(long long* y, const float* x, int n, int m)" in whole
    assert "cudaMallocAsync(&parts, sizeof(unsigned long long)" in whole, "a float does not count above 16,777,216"


def test_a_mask_of_places_is_computed_where_it_is_needed() -> None:
    ones = TensorUse(1, 1600, "bool", (40, 40), is_whole=True)
    upper = call("triu", "pointwise", TensorUse(2, 1600, "bool", (40, 40), is_whole=True), ones, 1)
    x = use(0, (3, 40, 40))
    masked = call("masked_fill", "pointwise", use(3, (3, 40, 40)), x, upper.writes[0], float("-inf"))
    whole = text({"x": x}, upper, masked, filled=(Filled(ones, first=1.0),))
    assert "const bool v0 = (at % m + e) - (at / m % n) >= 1 ? 1.0f : 0;" in whole


def test_a_place_is_compared_with_a_rows_length() -> None:
    lengths, places = typed(1, "int64", 6), typed(2, "int64", 40)
    below = call("lt", "pointwise", typed(3, "bool", 6, 40), view(places, (1, 40), 40, 1), view(lengths, (6, 1), 1, 1))
    kept = call("where", "pointwise", use(4), typed(3, "bool", 6, 40), X, 0.0)
    whole = text({"x": X, "lengths": lengths}, below, kept, filled=(Filled(places, first=0, step=1),))
    assert "const bool v0 = (at % m + e) < lengths_one;" in whole and "const long long lengths_one = lengths[at / m];" in whole


def test_rows_of_a_table_are_picked_by_their_numbers() -> None:
    ids, table = typed(1, "int64", 6), use(2, (50, 8))
    whole = text({"ids": ids}, call("embedding", "other", use(3, (6, 8)), table, ids), table=table)
    assert "load<WIDTH>(table_near, table + (ids[at / 8] * 8 + at % 8));" in whole
    assert 'outputs  = { y = ["n", 8] }' in whole


@pytest.mark.parametrize("name", ["max", "min"])
def test_an_extreme_comes_with_its_place(name: str) -> None:
    found = FunctionCall(name, 3, "rows", (X,), (use(1, (6,)), typed(2, "int64", 6)), 1, (X, -1))
    whole = text({"x": X}, found, results=found.writes)
    which = {"max": "most", "min": "least"}[name]
    assert f"key_of_{which}(x_kept[k][e], (i + e))" in whole and f"{name}_of_row(part_r0)" in whole
    assert "void model(float* y0, long long* y1, const float* x, int n, int m)" in whole


def test_a_place_alone_is_one_fold() -> None:
    x = use(0, (2, 6, 8))
    whole = text({"x": x}, call("argmin", "reduction", typed(1, "int64", 2, 8), x, 1))
    kernel = body(whole, "model_kernel")
    assert "const unsigned long long term_r0 = key_of_least(x_near[k][e], i);" in kernel and "-INFINITY" not in kernel
    assert "store<WIDTH>(y + outer * inner + column, r1);" in kernel


def test_instances_are_rows_and_their_channels_weights_are_read_once() -> None:
    x, weight = use(0, (2, 6, 4, 8)), use(1, (6,))
    repeated = call("repeat", "other", use(2, (12,)), weight, (2,))
    batch = view(x, (1, 12, 4, 8), 384, 32, 8, 1)
    norm = FunctionCall(
        "native_batch_norm", 3, "reduction", (batch, use(2, (12,))), (use(3, (1, 12, 4, 8)), use(4, (12,)), use(5, (12,))), 1,
        (batch, use(2, (12,)), None, None, None, True, 0.1, 1e-5),
    )  # fmt: skip
    result = view(use(3, (2, 6, 4, 8)), (2, 6, 4, 8), 192, 32, 8, 1)
    whole = text({"x": x}, repeated, norm, results=(result,), weight=weight)
    assert "const float r0 = weight[row % c];" in whole and "const int columns = h * w;" in whole
    assert "const long long rows = (long long)b * c;" in whole


def test_batch_norm_that_keeps_statistics_is_left_to_others() -> None:
    mean = use(1, (6,))
    x = use(0, (2, 6, 8))
    norm = FunctionCall("native_batch_norm", 3, "reduction", (x,), (use(3, (2, 6, 8)),), 1, (x, None, None, mean, mean, True, 0.1, 1e-5))
    found = made({"x": x}, norm, mean=mean)
    assert isinstance(found, Declined) and "a reduction that rules do not write" in found.reason


def test_reductions_of_different_dimensions_have_a_kernel_each() -> None:
    mean = call("mean", "reduction", use(1, (1, 40)), X, (0,), True)
    centred = call("sub", "pointwise", use(2), X, use(1, (1, 40)))
    whole = text({"x": X}, mean, centred, call("_softmax", "rows", use(3), use(2), -1, False))
    launcher = whole[whole.index("\nvoid model(") :]
    order = ["cudaMallocAsync(&s0, sizeof(float) * m, 0)", "model_1(s0, x, n, m);", "model_2(y, x, s0, n, m);", "cudaFreeAsync(s0, 0)"]
    assert [launcher.index(each) for each in order] == sorted(launcher.index(each) for each in order)
    assert "sum_of_column" in whole and "const float v0 = x_kept[k][e] - s0_near[e];" in whole


def test_results_over_different_dimensions_need_no_memory_between_them() -> None:
    calls = (call("mean", "rows", use(1, (6,)), X, (1,)), call("amax", "reduction", use(2, (40,)), X, (0,)))
    whole = text({"x": X}, *calls, results=(use(1, (6,)), use(2, (40,))))
    assert 'outputs  = { y0 = ["n"], y1 = ["m"] }' in whole
    assert "model_1(y0, x, n, m);" in whole and "model_2(y1, x, n, m);" in whole and "&s0" not in whole


def test_results_of_one_reduction_are_one_kernel() -> None:
    calls = (call("mean", "rows", use(1, (6,)), X, (1,)), call("amax", "rows", use(2, (6,)), X, (1,)))
    whole = text({"x": X}, *calls, results=(use(1, (6,)), use(2, (6,))))
    assert "model_1" not in whole and body(whole, "model_kernel_kept").count("load<WIDTH>(x_kept") == 1


def test_the_mean_of_a_variance_is_the_mean_beside_it() -> None:
    row = use(1, (6, 1))
    mean = call("mean", "rows", row, X, (1,), True)
    var = call("var", "rows", use(2, (6, 1)), X, (1,), True, correction=0)
    centred = call("sub", "pointwise", use(3), X, row)
    kernel = body(text({"x": X}, mean, var, centred, call("div", "pointwise", use(4), use(3), use(2, (6, 1)))), "model_kernel_kept")
    assert kernel.count("sum_of_row(") == 2 and kernel.count("/ columns;  // mean") == 1
    assert "/ columns;  // var" in kernel, "nothing is taken off the count where no correction is asked for"


def test_equal_functions_of_different_dimensions_stay_two() -> None:
    square = use(0, (6, 6))
    calls = (call("sum", "rows", use(1, (6,)), square, (1,)), call("sum", "reduction", use(2, (6,)), square, (0,)))
    whole = text({"x": square}, *calls, call("add", "pointwise", use(3, (6,)), use(1, (6,)), use(2, (6,))))
    assert "model_1(s0, x, n);" in whole and "model_2(y, x, s0, n);" in whole


def test_a_transposed_input_is_turned_in_shared_memory() -> None:
    x, other = use(0, (3, 5, 8)), use(1, (3, 8, 5))
    whole = text({"x": x, "other": other}, call("add", "pointwise", use(2, (3, 8, 5)), view(x, (3, 8, 5), 40, 1, 8), other))
    kernel = body(whole, "model_kernel")
    assert "x_tile[line][threadIdx.x] = x[outer * (m * n) + p * n + q];" in kernel
    assert "const float v0 = x_tile[threadIdx.x][line] + other[outer * (n * m) + q * m + p];" in kernel
    assert 'x = ["b", "m", "n"]' in whole and "p_size = m, q_size = n;" in whole


def test_a_channel_norm_reads_images_as_they_lie() -> None:
    """Permuted to the last dimension and back: its columns lie side by side."""
    x, weight = use(0, (2, 6, 4, 8)), use(1, (6,))
    last = view(x, (2, 4, 8, 6), 192, 8, 1, 32)
    norm = call("native_layer_norm", "rows", use(2, (2, 4, 8, 6)), last, (6,), weight, None, 1e-5)
    back = call("clone", "pointwise", use(3, (2, 6, 4, 8)), view(use(2, (2, 4, 8, 6)), (2, 6, 4, 8), 192, 1, 48, 6))
    whole = text({"x": x}, norm, back, weight=weight)
    assert "sum_of_column" in whole and "model_1" not in whole
    assert "const int columns = c, inner = h * w;" in whole and "weight_one[k] = weight[i];" in whole


def test_short_columns_are_kept_in_registers() -> None:
    x = use(0, (2, 6, 4, 8))
    whole = text({"x": x}, call("_softmax", "reduction", use(1, (2, 6, 4, 8)), x, 1, False))
    kept = body(whole, "model_kernel_kept")
    assert kept.count("load<WIDTH>(x_kept[k], x + at);") == 1 and kept.count("x +") == 1, "read once, whatever waits for what"
    assert kept.count("_of_columns<WIDTH>(") == 2 and kept.count("store<WIDTH>(y + at, y_near);") == 1
    assert "columns > 0 && columns <= 256" in whole and "model_kernel_kept<4, 16><<<blocks, dim3(width, depth)>>>" in whole


def test_what_is_dear_to_compute_is_kept_where_it_is_needed_again() -> None:
    mask = typed(1, "bool", 6, 40)
    filled = call("masked_fill", "pointwise", use(2), X, mask, float("-inf"))
    kept = body(text({"x": X, "mask": mask}, filled, call("_softmax", "rows", use(3), use(2), -1, False)), "model_kernel_kept")
    assert kept.count("expf(") == 1 and "v2_kept[k][e] = v2;" in kept and "const float v2 = v2_kept[k][e];" in kept
    assert kept.count("mask_kept[k][e] ?") == 2, "a choice is made anew"


def test_what_is_made_of_a_kept_value_alone_needs_nothing_else() -> None:
    bias = use(1, (40,))
    calls = (
        call("add", "pointwise", use(2), X, bias),
        call("gelu", "pointwise", use(3), use(2)),
        call("native_layer_norm", "rows", use(4), use(3), (40,), None, None, 1e-5),
    )
    kept = body(text({"x": X}, *calls, bias=bias), "model_kernel_kept")
    assert kept.count("erff(") == 1 and kept.count("load<WIDTH>(bias_near, bias + i);") == 1


def test_columns_of_several_arrays_leave_room_for_each() -> None:
    one, two = (use(number, (2, 6, 8)) for number in (0, 1))
    added = call("add", "pointwise", use(2, (2, 6, 8)), one, two)
    whole = text({"x": one, "z": two}, added, call("_softmax", "reduction", use(3, (2, 6, 8)), use(2, (2, 6, 8)), 1, False))
    assert "columns > 0 && columns <= 128" in whole and "model_kernel_kept<4, 8><<<" in whole and "<4, 16>" not in whole


def test_columns_that_are_read_once_anyway_are_not_kept() -> None:
    whole = text({"x": X}, call("sum", "reduction", use(1, (40,)), X, (0,)))
    assert "kept" not in whole and "model_parts_of_r0<4><<<dim3(tiles, splits), dim3(side, 512 / side)>>>" in whole


def test_few_columns_are_shared_by_blocks_with_a_kernel_for_each_reading() -> None:
    mean = call("mean", "reduction", use(1, (40,)), X, (0,))
    var = call("var", "reduction", use(2, (40,)), X, (0,), correction=0)
    centred = call("sub", "pointwise", use(3), X, use(1, (40,)))
    whole = text({"x": X}, mean, var, centred, call("div", "pointwise", use(4), use(3), use(2, (40,))))
    assert "reinterpret_cast<Moments*>(parts)[blockIdx.y * stride + place + e] = part_r3[e];" in body(whole, "model_parts_of_r0_r3")
    last = body(whole, "model_of_parts")
    assert last.count("load<WIDTH>") == 1
    assert "moments_of_parts<WIDTH>(part_r3, reinterpret_cast<Moments*>(parts) + place, stride, left);" in last
    assert whole.count("cudaMallocAsync") == 1 and "sizeof(float) * 5 * splits * outer * inner" in whole


def test_a_columns_extreme_and_its_place_are_one_reading_of_wider_parts() -> None:
    x = use(0, (2, 6, 8))
    found = FunctionCall("max", 3, "reduction", (x,), (use(1, (2, 8)), typed(2, "int64", 2, 8)), 1, (x, 1))
    whole = text({"x": x}, found, results=found.writes)
    assert "model_parts_of_r0_r1<4>" in whole and "unsigned long long* parts" in whole
    assert "(parts + 1 * splits * stride)[blockIdx.y * stride + place + e] = r1[e];" in whole
    assert "const int end" not in body(whole, "model_of_parts") and "kept" not in whole, "no element is read again"
    assert "max_of_parts_float<WIDTH>(r0, parts + place, stride, left);" in whole


def test_what_is_reduced_along_another_dimension_than_it_lies_is_turned_first() -> None:
    x = use(0, (40, 6))
    whole = text({"x": x}, call("_softmax", "rows", use(1), view(x, (6, 40), 1, 6), -1, False))
    assert "model_1(s0, x, n, m);" in whole and "model_2(y, s0, n, m);" in whole and "x_tile[threadIdx.x][line]" in whole


def test_heads_of_a_row_are_sizes_of_their_own() -> None:
    x = use(0, (2, 5, 32))
    heads = view(x, (2, 4, 5, 8), 160, 8, 32, 1)
    found = made({"x": x}, call("_softmax", "rows", use(1, (2, 4, 5, 8)), heads, -1, False))
    assert isinstance(found, FirstKernel)
    assert 'x = ["b", "h", "w"]' in found.text and 'outputs  = { y = ["b", 4, "h", "w / 4"] }' in found.text
    assert not found.is_for_any_model, "the four heads are the model's"


def test_heads_that_are_merged_keep_the_inputs_own_sizes() -> None:
    x = use(0, (2, 4, 5, 8))
    merged = call("clone", "pointwise", use(1, (2, 5, 4, 8)), view(x, (2, 5, 4, 8), 160, 8, 40, 1))
    flat = view(use(1, (2, 5, 32)), (2, 5, 32), 160, 32, 1)
    found = made({"x": x}, merged, call("mul", "pointwise", use(2, (2, 5, 32)), flat, 2), results=(use(2, (2, 5, 32)),))
    assert isinstance(found, FirstKernel) and found.is_for_any_model
    assert 'x = ["b", "h", "c", "w"]' in found.text and 'outputs  = { y = ["b", "c", "h * w"] }' in found.text


def test_a_kernel_without_numbers_is_for_any_model() -> None:
    found = made({"x": X}, call("relu", "pointwise", use(1), X))
    assert isinstance(found, FirstKernel) and found.is_for_any_model


def test_a_running_sum_goes_along_its_row_once() -> None:
    mask = typed(1, "bool", 6, 40)
    masked = call("mul", "pointwise", use(2), X, mask)
    whole = text({"x": X, "mask": mask}, masked, call("cumsum", "other", use(3), use(2), 1))
    kernel = body(whole, "model_kernel")
    assert kernel.count("load<WIDTH>(x_near, x + at);") == 1 and "running_sum_in_front(" in kernel
    assert kernel.count("const float v0 = ") == 1, "what is summed is computed once"
    assert "before_v1 = before_v1 + whole_v1;" in kernel and "y_near[e] = v1[e];" in kernel


def test_a_running_sum_over_its_whole_is_two_kernels() -> None:
    total = call("sum", "rows", use(1, (6, 1)), X, (1,), True)
    running = call("cumsum", "other", use(2), X, -1)
    whole = text({"x": X}, total, running, call("div", "pointwise", use(3), use(2), use(1, (6, 1))))
    assert "model_1(s0, x, n, m);" in whole and "const float r0 = s0[row];" in whole


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (made({"x": X}, call("cumsum", "other", use(1), X, 0)), "with others behind it"),
        (made({"x": X}, call("roll", "other", use(1), X, (1,))), "neither element by element nor a reduction"),
        (made({"x": use(0, (2, 3, 4))}, call("sum", "reduction", use(1, (3,)), use(0, (2, 3, 4)), (0, 2))), "do not stand side by side"),
        (made({"x": X}, call("relu", "pointwise", use(1), X), results=(DIAGONAL,)), "in a way that rules do not follow"),
        (made({"x": WHOLE}, call("bitwise_not", "pointwise", typed(1, "int64", 6, 40), WHOLE)), "bits of whole numbers"),
        (made({"x": X}, call("add", "pointwise", use(2), X, use(1)), filled=(Filled(use(1), first=None),)), "filled in place"),
        (made({"x": WHOLE}, call("amax", "rows", typed(1, "int64", 6), WHOLE, (1,))), "reduces int64"),
    ],
)  # fmt: skip
def test_what_is_left_to_others_is_said(found: FirstKernel | Declined, said: str) -> None:
    assert isinstance(found, Declined) and said in found.reason, found
