// kernel=sumSquares line=15 finding=KO115
#include <cuda_runtime.h>

__global__ void sumSquares(const float *v, float *total, int n)
{
    __shared__ float sdata[256];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sdata[tid] = v[i] * v[i];
    } else {
        sdata[tid] = 0.0f;
    }
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(total, sdata[0]);
}

void run(const float *v, float *total, int n)
{
    sumSquares<<<(n + 255) / 256, 256>>>(v, total, n);
}
