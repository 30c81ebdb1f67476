"""Small programs that the tests open: quick to compile and to run."""

from __future__ import annotations

__all__ = ["HALVE", "RACE", "SLEEPY", "SUMS", "halves"]

RACE = """\
#include <cstdio>

__global__ void last_one(int *out, const int *in)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    last_one<<<1, 64>>>(out, in);
    cudaDeviceSynchronize();
    int first;
    cudaMemcpy(&first, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\\n", first);
}
"""
"""Two warps exchange values through shared memory without a barrier."""

HALVE = """\
#include <cstdio>

__global__ void halve(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 0.5f;
}

int main()
{
    float *x, first;
    cudaMalloc(&x, 256 * sizeof(float));
    cudaMemset(x, 0, 256 * sizeof(float));
    halve<<<2, 128>>>(x, 256);
    cudaMemcpy(&first, x, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\\n", first);
}
"""
"""Nothing is wrong with it."""

SLEEPY = HALVE.replace("#include <cstdio>", "#include <cstdio>\n#include <unistd.h>").replace(
    "int main()\n{", "int main()\n{\n    sleep(40);"
)
"""Runs for as long as a test needs it to."""

SUMS = """\
__global__ void first(float *x) { x[threadIdx.x] += 1.0f; }

__global__ void second(float *x) { x[threadIdx.x] += 2.0f; }

int main()
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(float));
    cudaMemset(x, 0, 64 * sizeof(float));
    first<<<1, 64>>>(x);
    second<<<1, 64>>>(x);
    return cudaDeviceSynchronize();
}
"""


def halves(count: int) -> str:
    """A source of ``count`` kernels, without a program."""
    body = "(float *x, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) x[i] *= 0.5f;\n}\n"
    return "\n".join(f"__global__ void halve_{i}{body}" for i in range(count))
