// kernel=sumSquares line=15 finding=KO115
#include <cuda_runtime.h>

__global__ void sumSquares(const float *v, float *total, int n)
{
    __shared__ float sdata[8];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? v[i] * v[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (tid % 32 == 0)
        sdata[tid / 32] = value;
    __syncthreads();
    if (tid == 0) {
        for (int warp = 1; warp < 8; warp++)
            value += sdata[warp];
        atomicAdd(total, value);
    }
}

void run(const float *v, float *total, int n)
{
    sumSquares<<<(n + 255) / 256, 256>>>(v, total, n);
}
