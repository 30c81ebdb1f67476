"""What an iteration of a loop reads of what the one before stored."""

from __future__ import annotations

import pytest

from assistant.cuda.carried_elements import carried_elements
from assistant.cuda.syntax import SyntaxTree

KERNEL = """\
#define AT(r, c) ((r) * n + (c))
struct Grid { int width; };
__global__ void k(float *y, float *z, const float *x, int n, int step, Grid g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = 0;
    LOOP
}
"""


@pytest.mark.parametrize(
    ("loop", "carried"),
    [
        ("for (int k = 1; k < n; k++) y[i * n + k] = y[i * n + k - 1] + x[k];", ["y[i * n + k - 1]"]),
        ("for (int k = n - 2; k >= 0; --k) { y[k * n + i] = x[k] - y[(k + 1) * n + i]; }", ["y[(k + 1) * n + i]"]),
        ("for (int k = 1; k < n; k++) { y[k] = y[k - 1] * 2; z[k] = z[k - 1] + y[k - 1]; }", ["y[k - 1]", "z[k - 1]", "y[k - 1]"]),
        ("for (int k = 1; k < n; k++) y[AT(i, k)] = y[AT(i, k - 1)];", ["y[AT(i, k - 1)]"]),
        ("for (int k = 1; k < n; k++) y[k * g.width + i] = y[(k - 1) * g.width + i];", ["y[(k - 1) * g.width + i]"]),
        ("for (int p = i + step; p < n; p += step) y[p] = y[p - step];", ["y[p - step]"]),
        ("for (int k = 1; k < n; k++) { int p = i * n + k; y[p] = y[p - 1]; }", ["y[p - 1]"]),
        ("for (int r = 1; r < n; r++) for (int c = 1; c < n; c++) y[r * n + c] = z[r] + y[r * n + c - 1];", ["y[r * n + c - 1]"]),
        ("for (int k = 2; k < n; k++) y[k] = y[k - 2];", []),
        ("for (int k = 1; k < n; k++) y[k] = x[k - 1];", []),
        ("for (int k = 1; k < n; k++) y[i] = y[i] + x[k];", []),
        ("for (int k = 0; k < n; k++) y[k] = y[k + 1];", []),
        ("for (int k = 1; k < n; k++) { at += 3; y[at + k] = y[at + k - 1]; }", []),
        ("for (int k = 1; k < n; k++) { int p = k; p = x[k] > 0 ? p : 0; y[p] = y[p - 1]; }", []),
        ("for (int k = 1; k < n; k++) y[i * n + k] = y[(i - 1) * n + k];", []),
        ("for (int k = 1; k < n; k++) y[k] += y[k - 1];", []),
    ],
)  # fmt: skip
def test_an_element_that_the_iteration_before_stored_is_carried(loop: str, carried: list[str]) -> None:
    tree = SyntaxTree(KERNEL.replace("LOOP", loop))
    assert [tree.text(found.load) for found in carried_elements(tree, tree.root)] == carried
