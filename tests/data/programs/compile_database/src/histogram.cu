#include "histogram.hpp"
#include "device/bins.cuh"

__global__ void histogram_kernel(const std::uint8_t *data, unsigned *bins, int n)
{
    __shared__ unsigned local[BINS];
    clear_bins(local);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i] % BINS], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

void histogram(const std::uint8_t *data, unsigned *bins, int n)
{
    histogram_kernel<<<HISTOGRAM_BLOCKS, 64>>>(data, bins, n);
}
