// kernel=publish line=14 finding=KO122
#include <cuda_runtime.h>

__global__ void publish(const float *x, float *results, int *ready)
{
    __shared__ float part[128];
    float v = 0;
    for (int k = 0; k < 32; k++) v += x[(blockIdx.x * 32 + k) * 128 + threadIdx.x];
    part[threadIdx.x] = v;
    __syncthreads();
    const bool is_first = threadIdx.x == 0;
    if (is_first)
    {
        for (int k = 0; k < 128; k++)
            results[blockIdx.x * 128 + k] = part[k];
        __threadfence();
        ready[blockIdx.x] = 1;
    }
}

void run(const float *x, float *results, int *ready, int blocks)
{
    publish<<<blocks, 128>>>(x, results, ready);
}
