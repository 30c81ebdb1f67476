// kernel=squared_error line=16 finding=KO115
#include <cuda_runtime.h>
#define BLOCK 128

__global__ void squared_error(const float *want, const float *got, double *error, int n)
{
    __shared__ double parts[BLOCK];
    const int i = threadIdx.x + blockIdx.x * BLOCK;
    double mine = 0.0;
    if (i < n) {
        float d = want[i] - got[i];
        mine = d * d;
    }
    parts[threadIdx.x] = mine;
    __syncthreads();
    for (int s = 1; s < BLOCK; s *= 2) {
        if (threadIdx.x % (2 * s) == 0)
            parts[threadIdx.x] += parts[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(error, parts[0]);
}

void run(const float *want, const float *got, double *error, int n)
{
    squared_error<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(want, got, error, n);
}
