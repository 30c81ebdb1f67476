// kernel=moment line=11 finding=KO115
#include <cuda_runtime.h>

__global__ void moment(const float *x, float *result, int n)
{
    __shared__ float parts[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? x[i] * threadIdx.x : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++)
            mine += parts[warp];
        atomicAdd(result, mine);
    }
}

void run(const float *x, float *result, int n)
{
    moment<<<(n + 255) / 256, 256>>>(x, result, n);
}
