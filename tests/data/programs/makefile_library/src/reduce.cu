#include "vec.h"

__global__ void sum_blocks(const float *v, float *total, int n)
{
    __shared__ float part[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    part[threadIdx.x] = i < n ? v[i] : 0.f;
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

float reduce(const float *v, int n)
{
    float *total, h = 0.f;
    cudaMalloc(&total, sizeof(float));
    cudaMemset(total, 0, sizeof(float));
    sum_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(v, total, n);
    cudaMemcpy(&h, total, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(total);
    return h;
}
