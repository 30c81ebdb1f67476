// kernel=squared_error line=16 finding=KO115
#include <cuda_runtime.h>
#define BLOCK 128

__global__ void squared_error(const float *want, const float *got, double *error, int n)
{
    __shared__ double parts[BLOCK / 32];
    const int i = threadIdx.x + blockIdx.x * BLOCK;
    double mine = 0.0;
    if (i < n) {
        float d = want[i] - got[i];
        mine = d * d;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < BLOCK / 32; warp++)
            mine += parts[warp];
        atomicAdd(error, mine);
    }
}

void run(const float *want, const float *got, double *error, int n)
{
    squared_error<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(want, got, error, n);
}
