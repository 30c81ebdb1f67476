// kernel=moment line=11 finding=KO115
#include <cuda_runtime.h>

__global__ void moment(const float *x, float *result, int n)
{
    __shared__ float parts[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? x[i] * threadIdx.x : 0;
    parts[threadIdx.x] = mine;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) parts[threadIdx.x] += parts[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(result, parts[0]);
}

void run(const float *x, float *result, int n)
{
    moment<<<(n + 255) / 256, 256>>>(x, result, n);
}
