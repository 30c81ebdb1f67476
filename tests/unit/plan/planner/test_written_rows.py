"""Kernels that point at rows of a table get the plans of kernels that index the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.cuda.edits import apply_edits
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.written_rows import written_rows
from tests.unit.plan.planner.planned import planned

KERNEL = """\
// kernel=align line=14 finding=KO125 technique=wavefront-tiles
__global__ void align(float *S, const int *x, const int *y, int n, int m, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = d - j;
    if (j > m || i < 1 || i > n) return;
    float *cur = S + i * (m + 1);
    const float *prev = &S[(i - 1) * (m + 1)];
    float s = fmaxf(prev[j - 1] + (x[i - 1] == y[j - 1]), cur[j - 1]);
    cur[j] = fmaxf(s, prev[j]);
}
void run(float *__restrict__ S, const int *x, const int *y, int n, int m) {
    for (int d = 2; d <= n + m; d++)
        align<<<(m + 127) / 128, 128>>>(S, x, y, n, m, d);
}
int main() { float *S; int *x, *y; cudaMalloc(&S, 99); cudaMalloc(&x, 9); cudaMalloc(&y, 9); run(S, x, y, 3, 5); }
"""
Contexts = Callable[[str], TransformationContext]


def written(context_of: Contexts, declared: str, used: str) -> tuple[str, ...]:
    """The new pieces of a kernel that declares a pointer and uses it."""
    body = f"    int i = threadIdx.x;\n    {declared}\n    {used}\n"
    text = f"// kernel=k line=1 finding=KO125\n__global__ void k(float *t, int w) {{\n{body}}}\n"
    edits = written_rows(context_of(text))
    assert not edits or declared not in apply_edits(text, edits)
    return tuple(edit.new_text for edit in edits if edit.new_text)


def test_tiles_are_made_of_a_table_whose_rows_have_pointers() -> None:
    first = planned(KERNEL)[0]
    text = apply_edits(KERNEL, first.edits)
    assert "tile[t + 1][0] = S[i * (m + 1) + j0 - 1];" in text and "fmaxf(tile[t][c] + (x[i - 1] == y[j - 1]), tile[t + 1][c]);" in text
    assert "cur" not in text and "prev" not in text


@pytest.mark.parametrize(
    ("declared", "used", "pieces"),
    [
        ("float *row = t + i * w;", "row[1] = row[0];", ("t[i * w + 1]", "t[i * w + 0]")),
        ("float *row = t + i * w + 1;", "row[w] = 0;", ("t[i * w + 1 + w]",)),
        ("float *row = t + (i - 1) * w - 1;", "row[w] = 0;", ("t[(i - 1) * w - 1 + w]",)),
        ("float *row = &t[i * w];", "row[i > 1 ? 1 : 0] = 0;", ("t[i * w + (i > 1 ? 1 : 0)]",)),
        ("float *row = t + i * w;", "row[1] = 0; row += w;", ()),
        ("float *row = t + i * w;", "row[1] = *row;", ()),
        ("float *row = t + i * w, *other = row;", "row[1] = 0;", ()),
        ("float *row = t - i * w;", "row[1] = 0;", ()),
        ("float row = t[i] + w;", "t[1] = row;", ()),
    ],
)
def test_only_pointers_that_stay_are_written_out(context_of: Contexts, declared: str, used: str, pieces: tuple[str, ...]) -> None:
    assert written(context_of, declared, used) == pieces
