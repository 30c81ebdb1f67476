// kernel=total line=11 finding=KO122
#include <cuda_runtime.h>

__global__ void total(const float *x, float *sums)
{
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < 256; k++) sum += part[k];
        sums[blockIdx.x] = sum;
    }
}

void run(const float *x, float *sums, int blocks)
{
    total<<<blocks, 256>>>(x, sums);
}
