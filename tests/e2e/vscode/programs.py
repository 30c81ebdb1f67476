"""The program whose proposal is reviewed: three places that can be decided apart."""

from __future__ import annotations

__all__ = ["WAVES", "WAVES_TEMPLATE"]

WAVES = """\
#include <cstdio>
#include <vector>

__device__ float envelope(float t)
{
    return 1.0 - t * (0.8 - t * (0.3 - t * 0.05));
}

__global__ void smooth(float *cells, int count, int steps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float x = cells[i];
        float sum = 0.0f;
        for (int s = 0; s < steps; s++) {
            sum += envelope(x + 0.01 * s);
        }
        cells[i] = 0.9 * sum / steps;
    }
}

int main()
{
    const int count = 4000;
    std::vector<float> cells(count);
    for (int i = 0; i < count; i++) cells[i] = 0.1f + 0.8f * i / count;
    float *d;
    cudaMalloc(&d, count * sizeof(float));
    cudaMemcpy(d, cells.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    smooth<<<16, 256>>>(d, count, 16);
    cudaMemcpy(cells.data(), d, count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.3f .. %.3f\\n", cells.front(), cells.back());
    cudaFree(d);
}
"""
"""Double literals on three lines of its kernel; each may become single precision alone."""

WAVES_TEMPLATE = WAVES.replace("__global__ void smooth(float *cells", "template <typename T>\n__global__ void smooth(T *cells").replace(
    "smooth<<<", "smooth<float><<<"
)
"""The same kernel for any type of cells."""
