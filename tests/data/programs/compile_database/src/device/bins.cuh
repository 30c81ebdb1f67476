#pragma once
#define BINS 16
static __device__ __forceinline__ void clear_bins(unsigned *local)
{
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
}
