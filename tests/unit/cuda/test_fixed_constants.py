"""Constants that only their initializer sets."""

from __future__ import annotations

import pytest

from assistant.cuda.fixed_constants import fixed_constants


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("__constant__ int dx[4] = {1, -1, 0, 0};", {"dx"}),
        ("static __constant__ float k = 2.f; __device__ const int n{3};", {"k", "n"}),
        ("const __device__ int a[2][2] = {{1, 2}, {3, 4}};", {"a"}),
        ("__constant__ float taps[9];", set()),
        ("__device__ int count = 0;", set()),
        ("__constant__ int t[2] = {1, 2};\nint main() { cudaMemcpyToSymbol(t, h, 8); }", set()),
        ("__constant__ int t[2] = {1, 2};\nvoid f(void* p) { cudaGetSymbolAddress(&p, t); }", set()),
        ("__constant__ int t[2] = {1, 2};  // cudaMemcpyToSymbol(t, h, 8);", {"t"}),
    ],
)
def test_what_the_text_fixes(text: str, fixed: set[str]) -> None:
    assert fixed_constants(text) == fixed
