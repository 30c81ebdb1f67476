"""The texts that a comparison builds: of many kernels the one in question, and what it, or anything else that stays, mentions."""

from __future__ import annotations

from kernelopt.comparing import without_other_kernels

TEXT = """\
#include <cstdio>
__device__ float twice(float x) { return 2 * x; }
template <typename T>
__global__ void generic(T *out)
{
    out[threadIdx.x] = twice(1);
}
__global__ void child(float *out) { out[0] = 1; }
__global__ void parent(float *out) { child<<<1, 1>>>(out); }  // not generic
namespace inner { __global__ void leaf(float *out) { out[0] = 2; } }
"""


def check(text: str, name: str) -> list[str]:
    """The kernels that are left, each on its line."""
    made = without_other_kernels(text, name)
    assert made.count("\n") == text.count("\n") and "twice" in made
    lines = zip(made.splitlines(), text.splitlines(), strict=True)
    assert all(after == before for after, before in lines if "__global__" in after)
    return [kernel for kernel in ("generic(", "child(", "parent(", "leaf(") if f"void {kernel}" in made]


def test_kernels_that_nothing_left_mentions_are_not_built() -> None:
    assert check(TEXT, "generic") == ["generic("]
    assert check(TEXT, "inner::leaf") == ["leaf("]
    assert check(TEXT, "parent") == ["child(", "parent("], "it launches the other"


def test_what_host_code_launches_stays() -> None:
    host = "void run(float *out) { parent<<<1, 1>>>(out); }\n"
    assert check(TEXT + host, "inner::leaf") == ["child(", "parent(", "leaf("]


def test_a_text_without_that_kernel_stays_as_it_is() -> None:
    assert without_other_kernels(TEXT, "nothing") == TEXT
