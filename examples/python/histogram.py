"""A histogram with a race: the call that meets it raises and changes nothing. With an atomic it runs."""

from __future__ import annotations

import numpy as np

import kernelopt

RACY = """
__global__ void histogram(unsigned int *bins, const unsigned char *pixels, int n)
{
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        local[pixels[i]] += 1;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
"""
pixels = np.random.default_rng(3).integers(0, 256, 10_000, dtype=np.uint8)
bins = np.zeros(256, np.uint32)

try:
    kernelopt.compile(RACY)[8, 256](bins, pixels, pixels.size)
except kernelopt.Race as race:
    print(f"line {race.line}: {race}")
assert not bins.any()

histogram = kernelopt.compile(RACY.replace("local[pixels[i]] += 1", "atomicAdd(&local[pixels[i]], 1u)"))
histogram[8, 256](bins, pixels, pixels.size)
assert (bins == np.bincount(pixels, minlength=256)).all()
print("with an atomic: as numpy.bincount")
