"""What the rules are told of a kernel's source."""

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.facts import source_facts
from assistant.model.launch import Dim3
from assistant.model.source import Source
from assistant.profile.facts import AccessCost, CarriedLoad, DearFunction, InvariantLoad, LineFacts, SourceFacts

_LOOP = """
__global__ void k(float *c, const float *a, int n) {
  int i = threadIdx.x;
  for (int j = 0; j < 8; j++) {
    BODY
  }
}
"""


def _facts(text: str) -> SourceFacts:
    parsed = parse(Source(Path("/k.cu"), text))
    return source_facts(parsed, parsed.kernels[0])


def _line(body: str) -> LineFacts:
    return _facts(_LOOP.replace("BODY", body)).at("k.cu", 5)


def test_an_accumulator_at_a_loop_invariant_place_is_found() -> None:
    assert _line("c[i] += a[j];").accumulated_pointers == ("c",)
    assert _line("c[i] = c[i] + a[j];").accumulated_pointers == ("c",)


def test_what_an_access_moves_is_read_off_macros_of_headers_too() -> None:
    parsed = parse(Source(Path("/k.cu"), "__global__ void k(float *c) {\n  c[AT(threadIdx.x)] = 1;\n}\n"))
    costs = source_facts(parsed, parsed.kernels[0], (Dim3(256),), "#define WIDTH 2\n#define AT(i) ((i) * WIDTH)\n").costs
    assert costs == (AccessCost(2, "c", True, 8, 4),)
    assert source_facts(parsed, parsed.kernels[0], (Dim3(256),)).costs != costs


def test_what_each_access_of_a_line_moves_is_read_off_the_text_where_that_decides_it() -> None:
    text = """__global__ void k(float *c, const float *a, const int *b, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  c[i] = a[i] + a[(i + n) * 2];
  c[i] = a[b[i]];
}
"""
    parsed = parse(Source(Path("/k.cu"), text))
    costs = source_facts(parsed, parsed.kernels[0], (Dim3(256),)).costs
    assert costs == (AccessCost(3, "c[i]", True, 4, 4), AccessCost(3, "a[i]", False, 4, 4), AccessCost(3, "a", False, 8, 4))
    assert source_facts(parsed, parsed.kernels[0]).costs == (), "no block is known"


def test_a_moving_place_is_no_accumulator() -> None:
    assert _line("c[i + j] += a[j];").accumulated_pointers == ()
    assert _line("c[i] = a[j];").accumulated_pointers == ()


def test_what_the_iteration_before_stored_is_found_with_the_line_of_its_store() -> None:
    line = _line("float last = c[i + j - 1];\n    c[i + j] = last + a[j];")
    assert line.carried_loads == (CarriedLoad("c", 6),)
    assert _line("c[i + j] = c[i + j - 2] + a[j];").carried_loads == ()


@pytest.mark.parametrize(
    ("body", "ratio"),
    [
        ("c[y * n + i] = a[(y - 1) * n + i] + a[y * n + i] + a[(y + 1) * n + i];", 6 / 12),
        ("int at = y * n + i; c[at] = a[at - n] + a[at + 1];", 1.0),
        ("c[y * n + i] = a[y * n + i] + a[i];", 5 / 8),
        ("for (int j = 0; j < 3; j++) c[y * n + i] += a[(y + j) * n + i];", None),
        ("c[y * n + i] = a[c[y]];", None),
    ],
)
def test_loads_that_four_rows_share_are_counted_by_their_indices(body: str, ratio: float | None) -> None:
    text = _LOOP.replace("for (int j = 0; j < 8; j++) {", "int y = blockIdx.y * blockDim.y + threadIdx.y; {").replace("BODY", body)
    assert _facts(text).four_rows_loads_ratio == ratio


def test_reads_of_other_elements_than_the_accumulator_are_counted() -> None:
    assert _line("c[i] += a[j];").read_count == 1
    assert _line("c[i] = c[i] + a[j] * a[i];").read_count == 2
    assert _line("c[j] = a[j];").read_count == 1


def test_an_invariant_load_is_found() -> None:
    assert _line("float x = a[i]; c[j] = x;").invariant_loads == (InvariantLoad("a"),)


def test_a_double_literal_in_float_code_is_found_and_a_meant_one_is_not() -> None:
    assert _line("c[j] = a[j] * 0.5;").double_literals == ("0.5",)
    assert _line("c[j] = a[j] * 0.5f;").double_literals == ()
    assert _line("double d = a[j]; d = d * 0.5; c[j] = d;").double_literals == ()


def test_powers_are_found_by_the_precision_that_they_are_computed_in() -> None:
    line = _line("c[j] = powf(a[j], 2.0f) + pow(a[j], 3);")
    assert (line.powers, line.double_powers) == (("powf(a[j], 2.0f)",), ("pow(a[j], 3)",))
    assert _line("c[j] = powf(a[j], a[i]);").powers == ()


def test_powers_of_a_structs_member_are_found_where_a_header_declares_the_struct() -> None:
    text = '#include "p.h"\n__global__ void k(float *c, P p) {\n  c[threadIdx.x] = powf(p.h - c[0], 3);\n}\n'
    parsed, header = parse(Source(Path("/k.cu"), text)), Source(Path("/p.h"), "struct P { float h; };\n")
    assert source_facts(parsed, parsed.kernels[0], others=(header,)).at("k.cu", 3).powers == ("powf(p.h - c[0], 3)",)


def test_powers_of_a_loops_counter_are_told_from_those_of_a_constant() -> None:
    line = _line("for (int k = 0; k < 4; k++) c[j] += powf(a[j], k) + pow(a[j], k) + powf(a[j], 2.0f);")
    assert (line.powers, line.double_powers) == (("powf(a[j], 2.0f)", "powf(a[j], k)"), ("pow(a[j], k)",))
    assert line.running_powers == ("powf(a[j], k)", "pow(a[j], k)")


def test_roots_that_are_only_divided_by_are_found_with_their_divisions() -> None:
    (root,) = _line("c[j] = 1.0f / sqrtf(a[j]);").divided_roots
    assert (root.text, root.is_double, root.quotient_lines) == ("1.0f / sqrtf(a[j])", False, (5,))
    (held,) = _line("float r = sqrtf(a[j]); c[j] = a[i] / r; c[i] /= r;").divided_roots
    assert (held.text, held.quotient_lines) == ("sqrtf(a[j])", (5, 5))
    assert _line("c[j] = 1.0 / sqrt((double)a[j]);").divided_roots[0].is_double
    assert _line("float r = sqrtf(a[j]); c[j] = r < 2.0f ? 1.0f / r : 0.0f;").divided_roots == ()


def test_functions_that_a_cheaper_one_replaces_are_found_with_what_they_are() -> None:
    (turn,) = _line("c[j] = cosf(6.2831853f * a[j]);").dear_functions
    assert turn == DearFunction("cosf(6.2831853f * a[j])", "cospif", "turn", is_double=False)
    pair = _line("float s = sin(a[j]); float t = cos(a[j]); c[j] = s * t;").dear_functions
    assert [(found.routine, found.form) for found in pair] == [("sincosf", "pair")] * 2
    (power,) = _line("double p = pow(10.0, (double)a[j]); c[j] = p;").dear_functions
    assert (power.routine, power.form, power.is_double) == ("exp10", "power", True)
    assert _line("c[j] = cosf(3.14f * a[j]);").dear_functions == ()


def test_a_power_in_a_helper_is_the_kernels_own() -> None:
    helper = "__device__ float sq(float x) { return powf(x, 2.0f); }\n"
    facts = _facts(helper + _LOOP.replace("BODY", "c[j] = sq(a[j]);").lstrip())
    assert facts.at("k.cu", 1).powers == ("powf(x, 2.0f)",)


@pytest.mark.parametrize("body", ["__syncthreads();", "grid.sync();", "cg::sync(block);"])
def test_a_loop_in_which_threads_wait_differs_from_a_loop_that_only_exchanges_values(body: str) -> None:
    assert _facts(_LOOP.replace("BODY", body)).loops[0].has_barrier
    assert not _facts(_LOOP.replace("BODY", "s += __shfl_down_sync(~0u, s, 1);")).loops[0].has_barrier


def test_a_constant_trip_count_is_read_off_the_loop() -> None:
    assert _facts(_LOOP.replace("BODY", ";")).loops[0].trip_count == 8
    assert _facts(_LOOP.replace("j < 8", "j < n").replace("BODY", ";")).loops[0].trip_count is None


@pytest.mark.parametrize(
    ("head", "is_halving"),
    [
        ("int s = blockDim.x / 2; s > 0; s >>= 1", True),
        ("unsigned int s = 128; s >= 1; s /= 2", True),
        ("s = n >> 1; s; s = s / 2", True),
        ("int s = blockDim.x / 2; s >= 32; s >>= 1", False),
        ("int s = 1; s < blockDim.x; s *= 2", False),
        ("int s = 8; s > 0; --s", False),
    ],
)
def test_only_a_loop_that_halves_its_counter_down_to_nothing_is_a_halving_loop(head: str, is_halving: bool) -> None:
    assert _facts(_LOOP.replace("int j = 0; j < 8; j++", head).replace("BODY", "__syncthreads();")).loops[0].is_halving is is_halving


_TREE = """
__device__ void finish(volatile float *v, int t) { v[t] += v[t + 4]; v[t] += v[t + 2]; v[t] += v[t + 1]; }
__global__ void k(const float *in, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) { volatile float *v = s; v[t] = v[t] + v[32 + t]; v[t] += v[t + 16]; v[t] += v[t + 8]; finish(v, t); }
    if (t == 0) *out = s[0];
}
"""


def test_a_reduction_whose_steps_are_written_out_is_known_by_their_distances() -> None:
    tree = _facts(_TREE).trees[0]
    assert (tree.line, tree.end_line) == (8, 10)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v[t] += v[t + 2];", ""),
        ("finish(v, t);", ""),
        ("v[t + 1];", "s2[t + 1];"),
        ("    __syncthreads();\n    if (t < 32)", "    in++;\n    for (int d = 16; d > 0; d /= 2) if (t < 32)"),
    ],
)
def test_other_steps_are_no_written_out_reduction(old: str, new: str) -> None:
    assert old in _TREE
    assert _facts(_TREE.replace(old, new)).trees == ()


@pytest.mark.parametrize(
    ("head", "is_dealt"),
    [
        ("int j = threadIdx.x; j < n; j += blockDim.x", True),
        ("int j = t; j < n; j += 32", True),
        ("int j = t; j < n; j = j + gridDim.x", True),
        ("int j = t; j < n; ++j", False),
        ("int j = n; j < 8; j += blockDim.x", False),
    ],
)
def test_a_loop_that_starts_at_its_thread_and_goes_on_by_a_stride_deals_elements_out(head: str, is_dealt: bool) -> None:
    text = _LOOP.replace("int j = 0; j < 8; j++", head).replace("BODY", ";").replace("for (", "int t = threadIdx.x % 32; for (", 1)
    assert _facts(text).loops[0].is_dealt is is_dealt


@pytest.mark.parametrize(
    ("loop", "is_halving"),
    [
        ("while (s != 0) { __syncthreads(); s /= 2; }", True),
        ("while (s) { __syncthreads(); s >>= 1; }", True),
        ("while (s > 32) { __syncthreads(); s >>= 1; }", False),
        ("while (s != 0) { __syncthreads(); t /= 2; --s; }", False),
    ],
)
def test_a_while_that_halves_its_counter_is_one_too(loop: str, is_halving: bool) -> None:
    assert _facts(_LOOP.replace("BODY", loop)).loops[1].is_halving is is_halving


@pytest.mark.parametrize(
    ("loop", "is_doubling"),
    [
        ("for (int s = 1; s < blockDim.x; s *= 2) { if (t % (2 * s) == 0) a[t] += a[t + s]; __syncthreads(); }", True),
        ("for (unsigned int s = 1; s < 256; s <<= 1) { if ((t & (s * 2 - 1)) == 0) a[t] += a[s + t]; }", True),
        ("for (int s = 1; s < 256; s *= 2) { int i = 2 * s * t; if (i < 256) a[i] += a[i + s]; }", True),
        ("while (s < blockDim.x) { if (t % (2 * s) == 0) a[t] += a[t + s]; s *= 2; }", True),
        ("for (int d = 1; d < n; d *= 2) { if (t >= d) a[t] += a[t - d]; }", False),
        ("for (int d = 1; d < n; d *= 2) { if (t + d < n) a[t] += a[t + d]; }", False),
        ("for (int s = 1; s < n; s++) { if (t % (2 * s) == 0) a[t] += a[t + s]; }", False),
        ("for (int s = 2; s < n; s *= 2) { if (t % (2 * s) == 0) a[t] += a[t + s]; }", False),
    ],
)
def test_a_loop_that_puts_pairs_together_ever_further_apart_doubles(loop: str, is_doubling: bool) -> None:
    assert _facts(_LOOP.replace("BODY", loop)).loops[1].is_doubling is is_doubling


@pytest.mark.parametrize(
    ("loop", "is_scan"),
    [
        ("for (int d = 1; d < n; d *= 2) { if (t >= d) v = a[t - d]; }", True),
        ("for (int d = 1; d < n; d <<= 1) { int before = t - d; }", True),
        ("for (unsigned d = 1; d < n; d = d * 2) b[out][t] = b[in][t] + b[in][t - d];", True),
        ("while (d < n) { v = t >= d ? a[t - d] : 0; d += d; }", True),
        ("for (int d = 1; d < n; d *= 2) { if (t % (2 * d) == 0) a[t] += a[t + d]; }", False),
        ("for (int d = 1; d < n; d++) { v += a[t - d]; }", False),
        ("for (int d = 1; d < n; d *= 2) { v = a[t - dd]; }", False),
    ],
)
def test_a_loop_that_looks_as_far_back_as_its_doubling_counter_says_is_a_scan(loop: str, is_scan: bool) -> None:
    loops = _facts(_LOOP.replace("BODY", loop)).loops
    assert [each.is_scan for each in loops] == [False, is_scan]


@pytest.mark.parametrize(
    ("asked", "is_first_threads"),
    [
        ("threadIdx.x == 0", True),
        ("t == 0", True),
        ("!t", True),
        ("t < 32", False),
        ("j == 0", False),
        ("t == 1", False),
        ("threadIdx.x == 0 && threadIdx.y == 0", True),
        ("t < 1", True),
        ("0 == t", True),
        ("t == 0 && j == 0", False),
    ],
)
def test_a_loop_of_the_first_thread_is_one_behind_a_condition_that_names_it(asked: str, is_first_threads: bool) -> None:
    text = f"""__global__ void k(float *a) {{
  int t = threadIdx.x, j = blockIdx.x;
  if ({asked}) {{
    for (int i = 0; i < 256; i++) a[0] += i;
  }}
}}
"""
    assert _facts(text).loops[0].is_first_threads is is_first_threads


def test_a_helper_s_literals_count_as_the_kernel_s() -> None:
    text = "__device__ float h(float x) {\n  return x * 2.0;\n}\n__global__ void k(float *a) {\n  a[0] = h(a[0]);\n}\n"
    assert _facts(text).at("k.cu", 2).double_literals == ("2.0",)


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("int j = 0; j <= 8; j++", 9),
        ("unsigned int j = 2; j < 9; j += 3", 3),
        ("int j = 2; j < 8; ++j", 6),
        ("int j = 2; j <= 8; j += 3", 3),
        ("int j = 9; j < 8; j++", 0),
        ("const int j = 0; j < 8; i++", None),
        ("int j = 8; j > 0; j--", None),
    ],
)
def test_trip_counts_of_other_constant_loops(head: str, count: int | None) -> None:
    (loop,) = _facts(_LOOP.replace("int j = 0; j < 8; j++", head).replace("BODY", ";")).loops
    assert (loop.trip_count, loop.line, loop.end_line, loop.depth) == (count, 4, 6, 1)


def test_loops_know_their_depth_and_their_pragma() -> None:
    text = "__global__ void k(float *c) {\n#pragma unroll 4\n  for (int i = 0; i < 4; i++)\n    while (c[i]) { c[i] -= 1; }\n"
    text += "#pragma once\n  do { } while (0);\n}\n"
    assert [(one.line, one.depth, one.has_unroll_pragma) for one in _facts(text).loops] == [(3, 1, True), (4, 2, False), (6, 1, False)]
    assert not _facts(text.replace("#pragma unroll", "// unroll")).loops[0].has_unroll_pragma


@pytest.mark.parametrize(
    ("body", "accumulated", "invariant", "stored", "reads"),
    [
        ("c[i] += a[j];", ("c",), (), ("c",), 1),
        ("c[i] = c[i] + a[i];", ("c",), ("a",), ("c",), 1),
        ("c[i] = c [ i ] + a[j];", ("c",), (), ("c",), 1),
        ("c[i] = a[j]; c[j] = c[i];", (), (), ("c",), 2),
        ("int m = i; c[m] += 1.0f;", (), (), ("c",), 0),
        ("a += 1; c[j] = a[0];", (), (), ("c",), 1),
        ("float local[2]; local[0] = a[i];", (), (), (), 1),
        ("c[i] = -a[i + 1];", (), ("a",), ("c",), 1),
    ],
)
def test_what_stays_in_place_while_a_loop_turns(
    body: str, accumulated: tuple[str, ...], invariant: tuple[str, ...], stored: tuple[str, ...], reads: int
) -> None:
    line = _line(body)
    assert (line.accumulated_pointers, tuple(load.pointer for load in line.invariant_loads), line.stored_pointers, line.read_count) == (
        accumulated,
        invariant,
        stored,
        reads,
    )


def test_outside_of_a_loop_nothing_stays_in_place() -> None:
    line = _facts("__global__ void k(float *c, const float *a) {\n  c[0] += a[0];\n}\n").at("k.cu", 2)
    assert (line.accumulated_pointers, line.invariant_loads, line.stored_pointers) == ((), (), ("c",))


def test_the_kernels_pointers_and_its_own_types() -> None:
    facts = _facts("\n__global__ void k(float *__restrict__ c, const int *a, int n) {\n  c[0] = a[0];\n}\n__device__ double d;\n")
    pointers = [(p.name, p.element_type, p.is_const, p.is_restrict, p.is_written) for p in facts.pointers]
    assert pointers == [("c", "float", False, True, True), ("a", "int", True, False, False)]
    assert (facts.kernel_line, facts.declares_double) == (2, False)
    assert _facts("__global__ void k(double2 *c) {}\n").declares_double


def test_a_double_is_meant_where_a_double_is_computed() -> None:
    assert _line("double w = 2.0; w += a[i]; c[i] = w * 3.0;").double_literals == ()
    assert _line("float w = 2.0; if (a[i] > 0.5) c[i] = w;").double_literals == ("2.0", "0.5")


@pytest.mark.parametrize("declared", ["const double w = 0.7;", "double w = 0.7;", "double w = 3;", "double w = 0.7, v = -.5;"])
def test_a_double_that_is_a_constant_is_no_double_on_purpose(declared: str) -> None:
    facts = _facts(_LOOP.replace("BODY", f"{declared}\n    c[i] = a[j] * w + 1.0;"))
    assert not facts.declares_double
    assert facts.at("k.cu", 5).double_literals == () and facts.at("k.cu", 6).double_literals == ("1.0", "w")


@pytest.mark.parametrize(
    "declared",
    [
        "double w = a[i];",
        "double w = 0.7; w += a[i];",
        "double w = 0.7; double *p = &w; *p = 2;",
        "double w = 1e300;",
        "double w = 16777217;",
        "volatile double w = 0.7;",
        "double w = 0.7; double sum = w * a[i];",
    ],
)
def test_a_double_that_holds_more_than_a_float_is_on_purpose(declared: str) -> None:
    facts = _facts(_LOOP.replace("BODY", f"{declared}\n    c[i] = a[j] * w + 1.0;"))
    assert facts.declares_double and "w" not in facts.at("k.cu", 6).double_literals


@pytest.mark.parametrize(
    ("head", "statement", "is_double"),
    [
        ("struct Cal { double scale; double c[6]; };", "v[i].c[0] += 0.001 * i; v[i].scale *= 1.01;", True),
        ("struct Cal { float scale; float c[6]; };", "v[i].c[0] += 0.001 * i; v[i].scale *= 1.01;", False),
        ("typedef double Cal;", "v[i] = v[i] * 0.001 + 1.01;", True),
        ("typedef float Cal;", "v[i] = v[i] * 0.001 + 1.01;", False),
    ],
)
def test_literals_among_doubles_of_another_name_are_meant(head: str, statement: str, is_double: bool) -> None:
    facts = _facts(f"{head}\n__global__ void k(Cal *v, int i)\n{{\n  {statement}\n}}\n")
    assert facts.declares_double == is_double
    assert facts.at("k.cu", 4).double_literals == (() if is_double else ("0.001", "1.01"))
