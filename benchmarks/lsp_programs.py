"""The sources that the language servers are given."""

from __future__ import annotations

__all__ = ["LONG_RUNNING", "SMALL", "WITHOUT_MAIN", "large_source", "small_source"]

_KERNEL = """\
// One step of the pipeline: weights a tile, sums it, and writes it back.
template <typename T>
__device__ T weighted@(T value, int i) {
    return value * static_cast<T>(i % 7);
}

__global__ void step@(const float *__restrict__ in, float *out, int width, int height, float gain) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) {
        tile[threadIdx.y][threadIdx.x] = in[y * width + x] * 0.5;
    } else {
        tile[threadIdx.y][threadIdx.x] = 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 32; ++k) {
        sum += weighted@(tile[threadIdx.y][k], k) * tile[k][threadIdx.x];
    }
    if (x < width && y < height) {
        out[x * height + y] = gain * sum;
    }
}

"""
_HEAD = "#include <cstdio>\n#include <cuda_runtime.h>\n\n"
_TAIL = """\
int main() {
    float *in, *out;
    cudaMalloc(&in, 1 << 20);
    cudaMalloc(&out, 1 << 20);
    step0<<<dim3(4, 4), dim3(32, 32)>>>(in, out, 128, 128, 1.0f);
    step1<<<1, 2048>>>(in, out, 128, 128, 1.0f);  // what is found while typing: no block has 2048 threads
    cudaDeviceSynchronize();
    std::printf("done\\n");
}
"""

SMALL = """\
__global__ void scale(float *a, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= by;
}
int main() {
    float *a;
    cudaMalloc(&a, 4096);
    scale<<<4, 256>>>(a, 1024, 2.0f);
    cudaDeviceSynchronize();
}
"""
WITHOUT_MAIN = SMALL.partition("int main")[0]
LONG_RUNNING = """\
__global__ void spin(float *a, int turns) {
    float x = a[threadIdx.x];
    for (int i = 0; i < turns; ++i) x = x * 0.999f + 1.0f;
    a[threadIdx.x] = x;
}
int main() {
    float *a;
    cudaMalloc(&a, 4096);
    cudaMemset(a, 0, 4096);
    spin<<<64, 256>>>(a, 1 << 30);
    cudaDeviceSynchronize();
}
"""


def large_source(lines: int) -> str:
    """A program of at least that many lines, of kernels alike in kind and different by name."""
    count = 1 + (lines - len((_HEAD + _TAIL).splitlines())) // len(_KERNEL.splitlines())
    return _HEAD + "".join(_KERNEL.replace("@", str(index)) for index in range(count)) + _TAIL


def small_source(index: int) -> str:
    """One of many files of a project, each with two kernels."""
    return _HEAD + f"// file {index}\n" + "".join(_KERNEL.replace("@", str(number)) for number in range(2)) + _TAIL
