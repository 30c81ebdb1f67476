"""Which kernels an edit outside of them reaches."""

from __future__ import annotations

import pytest

from assistant.cuda.edit_reach import reached_kernels

_TEXT = """#include <cstdio>
#define TILE 32
#define ROUNDED(n) (((n) + TILE - 1) / TILE)
constexpr int RADIUS = 3;
struct Grid { int width; };
__device__ float squared(float x) { return x * x; }
__global__ void blur(float *a, int n) { a[threadIdx.x] += squared(n) * RADIUS; }
__global__ void scale(float *a, float by) { a[threadIdx.x] *= by; }
__global__ void copy(float *a, Grid grid) { a[threadIdx.x] = grid.width; }
static int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }
void scaled(float *a, int n) {
  dim3 grid(blocks_for(n, 256)), block(256);
  scale<<<grid, block>>>(a, 2.0f);
}
int main() {
  const int n = 1 << 20;
  const int side = 1024;
  float *a = nullptr;
  cudaMalloc(&a, n * sizeof(float));
  dim3 grid(side / TILE, side / TILE);
  dim3 block{TILE, 8};
  blur<<<grid, block>>>(a, side);
  scaled(a, n);
  int threads = 128;
  for (int i = 0; i < 3; ++i) copy<<<ROUNDED(n), threads>>>(a, Grid{side});
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("%d elements\\n", n);
}
"""
_ANY: set[str] | None = None
_NONE: set[str] | None = set()


@pytest.mark.parametrize(
    ("old", "new", "reached"),
    [
        # a launch, and what it is configured with
        ("blur<<<grid, block>>>", "blur<<<grid, 64>>>", {"blur"}),
        ("dim3 block{TILE, 8};", "dim3 block{TILE, 4};", {"blur"}),
        ("dim3 grid(side / TILE, side / TILE);", "dim3 grid(side / TILE, side / (4 * TILE));", {"blur"}),
        ("int threads = 128;", "int threads = 256;", {"copy"}),
        ("blocks_for(n, 256)), block(256)", "blocks_for(n, 64)), block(64)", {"scale"}),
        ("i < 3; ++i) copy", "i < 5; ++i) copy", {"copy"}),
        ("  int threads", "  blur<<<1, 32>>>(a, 1);\n  int threads", {"blur"}),
        ("  dim3 grid(side / TILE, side / TILE);\n", "  dim3 grid(side / TILE, side / TILE), wide(side / 64);\n", {"blur"}),
        ("(n + threads - 1) / threads;", "n / threads + 1;", {"scale"}),
        ("  blur<<<", "  cudaMemset(a, 0, n * sizeof(float));\n  blur<<<", _NONE),
        ("int main() {", "/* kernelopt\n[workload.blur]\nblock = [64]\n*/\nint main() {", {"blur"}),
        # what code uses
        ("return x * x;", "return x * x + 1;", {"blur"}),
        ("RADIUS = 3", "RADIUS = 5", {"blur"}),
        ("#define TILE 32\n", "#define TILE 16\n", {"blur", "copy"}),
        ("__global__ void scale", "__global__ void __launch_bounds__(256) scale", {"scale"}),
        # new code that nothing else uses
        ("__global__ void copy", "__global__ void fresh(int *p) { *p = 1; }\n__global__ void copy", {"fresh"}),
        ("__device__ float squared", "__device__ float cubed(float x) { return x * x * x; }\n__device__ float squared", _NONE),
        ("#include <cstdio>", "#include <cstdio>\n#include <cuda_fp16.h>", _NONE),
        # no code, or none that a kernel depends on
        ("int main()", "// starts here\nint  main()", _NONE),
        ("%d elements", "%d numbers", _NONE),
        # a declaration of a kernel names its parameters too
        ("struct Grid", "__global__ void blur(float *a, int side);\nstruct Grid", {"blur"}),
        # what the text does not tell
        ("1 << 20", "1 << 22", _ANY),
        ("side = 1024", "side = 2048", {"blur", "copy"}),
        ("cudaMalloc(&a, n", "cudaMalloc(&a, 2 * n", _ANY),
        ("  scaled(a, n);\n", "", _ANY),
        ("if (cudaDeviceSynchronize", "if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize", _ANY),
        ("int main() {", "int main(int argc, char **argv) {", _ANY),
        ("void scaled(float *a, int n)", "void scaled(float *a, int n, int m = 1)", _ANY),
        ("#include <cstdio>", '#include <cstdio>\n#include "sizes.h"', _ANY),
        ("#include <cstdio>", "#include <cstdio>\n#include <sizes.h>", _ANY),
        ("#define TILE 32\n", "#if TILE\n#define TILE 32\n#endif\n", _ANY),
        ("  blur<<<grid", "  if (n > 3) blur<<<grid", _ANY),
        ("int main() {", "/* kernelopt\n[workload.elsewhere]\n*/\nint main() {", _ANY),
        ("return 1;\n", "return 1;\n  }\n", _ANY),
    ],
)
def test_what_an_edit_reaches(old: str, new: str, reached: set[str] | None) -> None:
    assert _TEXT.count(old) == 1
    edited = _TEXT.replace(old, new)
    assert reached_kernels(_TEXT, edited) == reached
    if reached is not None and "fresh" not in new:
        assert reached_kernels(edited, _TEXT) == reached, "an undo reaches what the edit did"


def test_a_launch_that_moves_before_another_may_change_any() -> None:
    first, second = "  blur<<<grid, block>>>(a, side);\n", "  scaled(a, n);\n"
    assert reached_kernels(_TEXT, _TEXT.replace(first + second, second + first)) is None


def test_kernels_that_a_kernel_launches_are_not_told_apart() -> None:
    text = "__global__ void inner() {}\n__global__ void outer(int n) { inner<<<1, n>>>(); }\n"
    assert reached_kernels(text, text.replace("1, n", "2, n")) is None
