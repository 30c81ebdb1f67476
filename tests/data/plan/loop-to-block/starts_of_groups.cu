// kernel=offsets line=12 finding=KO122
#include <cuda_runtime.h>

// where the elements of each of 256 keys of this block begin
__global__ void offsets(const int *counts, int *starts)
{
    __shared__ int first[256];
    __shared__ int count[256];
    count[threadIdx.x] = counts[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 256; k++)
            first[k] = first[k - 1] + count[k - 1];
    }
    __syncthreads();
    starts[blockIdx.x * 256 + threadIdx.x] = first[threadIdx.x];
}

void run(const int *counts, int *starts, int blocks)
{
    offsets<<<blocks, 256>>>(counts, starts);
}
