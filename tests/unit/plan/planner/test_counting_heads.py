"""Kernels whose loops count without saying so in their heads get the plans of kernels that say it there."""

from __future__ import annotations

import pytest

from assistant.cuda.edits import apply_edits
from assistant.plan.expert.writing.counting_heads import counting_heads


def headed(kernel: str, context_of) -> str:
    """The text of a kernel with heads that count."""
    text = f"// kernel=k line=2 finding=KO108\n__global__ void k(const float *x, float *y, int n) {{ {kernel} }}\n"
    after = apply_edits(text, counting_heads(context_of(text)))
    assert isinstance(after, str)
    return " ".join(after.splitlines()[1].partition("{")[2].removesuffix("}").split())


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (
            "int i = threadIdx.x; while (i < n) { y[i] = x[i]; i += blockDim.x; }",
            "for (int i = threadIdx.x; i < n; i += blockDim.x) { y[i] = x[i]; }",
        ),
        (
            "long i = threadIdx.x; long s = gridDim.x; while (n > 0 && y) y = 0; while (i < n) { y[i] = 1; i = i + s; }",
            "long s = gridDim.x; while (n > 0 && y) y = 0; for (long i = threadIdx.x; i < n; i = i + s) { y[i] = 1; }",
        ),
        ("int i = 3; for (; i < n; i++) y[i] = x[i];", "for (int i = 3; i < n; i++) y[i] = x[i];"),
        ("int i = 0; while (i < n) { if (x[i] > 1) break; i++; }", "for (int i = 0; i < n; i++) { if (x[i] > 1) break; }"),
        (
            "for (int r = 0; r < n; r++) { int i = r; while (i < n) { y[i] += x[r]; i += 32; } }",
            "for (int r = 0; r < n; r++) { for (int i = r; i < n; i += 32) { y[i] += x[r]; } }",
        ),
    ],
)
def test_a_loop_that_counts_says_so_in_its_head(kernel: str, expected: str, context_of) -> None:
    assert headed(kernel, context_of) == expected


@pytest.mark.parametrize(
    "kernel",
    [
        "int i = 0; while (i < n) { y[i] = x[i]; i++; } y[0] = i;",
        "int i = 0; while (i < n) { if (x[i] > 1) { i += 2; continue; } y[i] = 1; i++; }",
        "int i = 0; while (i < n) { i += 2; y[i] = 1; i++; }",
        "int i = 0; while (i < n) { i++; y[i] = 1; }",
        "int i = 0; while (i < n) { change(&i); y[i] = 1; i++; }",
        "int i = 0; y[i] = 2; while (i < n) { y[i] = 1; i++; }",
        "int j = 0, i = 0; while (i < n) { y[i] = j; i++; }",
        "int j = 0; int i = j; j = n; while (i < j) { y[i] = 1; i++; }",
        "int i = next(); while (i < n) { y[i] = 1; i++; }",
        "int i; i = 0; while (i < n) { y[i] = 1; i++; }",
        "volatile int i = 0; while (i < n) { y[i] = 1; i++; }",
        "int i = 0; while (i < n) { int far = x[i]; y[i] = 1; i += far; }",
        "int i = 0; do { y[i] = 1; i++; } while (i < n);",
        "for (int i = 0; i < n; i++) y[i] = 1;",
    ],
)
def test_other_loops_stay_as_they_are(kernel: str, context_of) -> None:
    assert headed(kernel, context_of) == kernel
