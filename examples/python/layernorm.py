"""A layer norm held against NumPy, and what each of its lines moves."""

from __future__ import annotations

import numpy as np

import kernelopt

LAYERNORM = """
__global__ void layernorm(float *out, const float *x, const float *gamma, const float *beta, int rows, int cols, float eps)
{
    int row = blockIdx.x;
    if (row >= rows) return;
    const float *in = x + row * cols;
    __shared__ float partial[256];

    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += in[c];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    float mean = partial[0] / cols;
    __syncthreads();

    float square = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) square += (in[c] - mean) * (in[c] - mean);
    partial[threadIdx.x] = square;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    float scale = rsqrtf(partial[0] / cols + eps);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[row * cols + c] = (in[c] - mean) * scale * gamma[c] + beta[c];
}
"""


def reference(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, eps: float) -> np.ndarray:
    mean = x.mean(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=1, keepdims=True) + eps) * gamma + beta


rng = np.random.default_rng(0)
rows, cols = 64, 768
x = rng.standard_normal((rows, cols)).astype(np.float32)
gamma, beta = (rng.standard_normal(cols).astype(np.float32) for _ in range(2))
out = np.empty_like(x)

layernorm = kernelopt.compile(LAYERNORM, grid=lambda rows: rows, block=256)
arguments = (out, x, gamma, beta, rows, cols, 1e-5)
layernorm.check(arguments, ref=reference).raise_for_status()
layernorm(*arguments)
print(f"right; furthest from NumPy: {np.abs(out - reference(x, gamma, beta, 1e-5)).max():.1e}")

for line in layernorm.profile(arguments).lines:
    if line.op.startswith("global"):
        print(f"line {line.line}: {line.op}, {line.sectors} sectors, at least {line.ideal_sectors}")
