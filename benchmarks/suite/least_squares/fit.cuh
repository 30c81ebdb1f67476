#pragma once
#include "sample.h"

// Power sums for a cubic least-squares fit:
//   sums[0..6]  = sum of x^k
//   sums[7..10] = sum of y * x^k
constexpr int POWER_SUMS = 7;
constexpr int MOMENTS = 4;
constexpr int SUMS = POWER_SUMS + MOMENTS;
constexpr int FIT_THREADS = 256;

__global__ void accumulate(const Sample *samples, int count, double *block_sums)
{
    __shared__ double buffer[FIT_THREADS];

    double mine[SUMS];
    for (int k = 0; k < SUMS; ++k)
        mine[k] = 0.0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        Sample s = samples[i];
        for (int k = 0; k < POWER_SUMS; ++k)
            mine[k] += pow((double)s.x, k);
        for (int k = 0; k < MOMENTS; ++k)
            mine[POWER_SUMS + k] += s.y * pow((double)s.x, k);
    }

    for (int k = 0; k < SUMS; ++k) {
        buffer[threadIdx.x] = mine[k];
        __syncthreads();
        for (int half = FIT_THREADS / 2; half > 0; half /= 2) {
            if (threadIdx.x < half)
                buffer[threadIdx.x] += buffer[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0)
            block_sums[blockIdx.x * SUMS + k] = buffer[0];
        __syncthreads();
    }
}
