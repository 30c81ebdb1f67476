"""What the rules are told of the loops that launch a kernel."""

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.facts import source_facts
from assistant.model.source import Source
from assistant.profile.facts import SourceFacts


def _facts(text: str) -> SourceFacts:
    parsed = parse(Source(Path("/k.cu"), text))
    return source_facts(parsed, parsed.kernels[0])


@pytest.mark.parametrize(
    ("loop", "argument", "line"),
    [
        ("for (int d = 1; d < n; d *= 2)", "d", 2),
        ("for (int d = n / 2; d > 0; d >>= 1)", "2 * d", 2),
        ("for (int s = 0; s < n; ++s)", "1 << s", 2),
        ("for (int s = 0; s < n; ++s)", "s", 0),
        ("for (int d = 1; d < n; d *= 2)", "n", 0),
        ("for (int d = 1; d < n; d += 2)", "d", 0),
        ("if (n > 1)", "n / 2", 0),
    ],
)
def test_a_launch_from_a_loop_that_doubles_or_halves_what_it_passes_is_found(loop: str, argument: str, line: int) -> None:
    kernel = "__global__ void k(float *x, int d) { x[threadIdx.x] += x[threadIdx.x ^ d]; }\n"
    assert _facts(f"{kernel}void f(float *x, int n) {{ {loop} k<<<n / 64, 64>>>(x, {argument}); }}\n").passes_line == line
    assert _facts(f"{kernel}void f(float *x, int n) {{ {loop} k<<<1, 64>>>(x, {argument}); k<<<1, 64>>>(x, 1); }}\n").passes_line == 0


@pytest.mark.parametrize(
    ("loop", "argument", "line"),
    [
        ("for (int d = 2; d <= 2 * n; d++) {", "d, 1", 2),
        ("for (int d = 2; d <= 2 * n; ++d) { int e = d - 2;", "e, n", 2),
        ("int d = 2; while (d <= 2 * n) { d += 0;", "d, 1", 0),
        ("for (int d = 2; d <= 2 * n; d += 2) {", "d, 1", 0),
        ("for (int d = 2; d <= 2 * n; d++) {", "n, d", 0),
        ("{ int d = n;", "d, 1", 0),
    ],
)
def test_a_launch_from_a_loop_that_counts_the_diagonals_of_a_table_is_found(loop: str, argument: str, line: int) -> None:
    kernel = "__global__ void k(float *x, int d, int first) { int i = first + threadIdx.x, j = d - i; x[i * 9 + j] += x[i * 9 + j - 1]; }\n"
    assert _facts(f"{kernel}void f(float *x, int n) {{ {loop} k<<<n / 64, 64>>>(x, {argument}); }} }}\n").diagonals_line == line


def test_a_while_that_steps_at_its_end_counts_diagonals() -> None:
    kernel = "__global__ void k(float *x, int d) { int i = threadIdx.x, j = d - i; x[i * 9 + j] += x[i * 9 + j - 1]; }\n"
    assert _facts(f"{kernel}void f(float *x, int n) {{ int d = 0; while (d < n) {{ k<<<1, 64>>>(x, d); ++d; }} }}\n").diagonals_line == 2
    assert _facts(f"{kernel}void f(float *x, int n) {{ int d = 0; while (d < n) {{ ++d; k<<<1, 64>>>(x, d); }} }}\n").diagonals_line == 0


@pytest.mark.parametrize(
    ("loop", "load", "line"),
    [
        ("for (int d = 2; d <= n; d++)", "x[(i + 1) * w + j - 2]", 0),
        ("for (int d = 2; d <= n; d++)", "x[(i - 3) * w + j + 1]", 0),
        ("for (int d = n; d > 0; d--)", "x[(i - 1) * w + j + 2]", 0),
        ("for (int d = n; d > 0; d--)", "x[(i + 1) * w + j + 1]", 2),
        ("for (int d = 2; d <= n; d++)", "x[(i - 2) * w + j - 1]", 2),
        ("for (int d = 2; d <= n; d++)", "x[i * w + j - 1] + x[(i + 1) * w + j]", 2),
        ("for (int d = 2; d <= n; d++)", "x[i * w + 1]", 2),
        ("for (int d = 2; d <= n; d++)", "y[(i + 1) * w + j - 2]", 2),
    ],
)
def test_tiles_would_not_have_a_cell_of_the_tile_below_or_to_the_right(loop: str, load: str, line: int) -> None:
    body = f"int i = threadIdx.x, j = d - i, w = m + 3; x[i * w + j] = {load};"
    kernel = f"__global__ void k(float *x, const float *y, int m, int d) {{ {body} }}\n"
    assert _facts(f"{kernel}void f(float *x, float *y, int n) {{ {loop} k<<<n / 64, 64>>>(x, y, n, d); }}\n").diagonals_line == line


def test_a_number_that_the_kernel_shifts_one_by_makes_passes() -> None:
    kernel = "__global__ void k(float *x, int s) { x[threadIdx.x] += x[threadIdx.x ^ (1 << s)]; }\n"
    assert _facts(f"{kernel}void f(float *x) {{ for (int s = 0; s < 5; ++s) k<<<1, 64>>>(x, s); }}\n").passes_line == 2
