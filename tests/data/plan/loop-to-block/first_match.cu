// kernel=find line=13 finding=KO122
#include <cuda_runtime.h>

__global__ void find(const int *keys, const int *wanted, int *at)
{
    __shared__ int key[128];
    __shared__ int place;
    key[threadIdx.x] = keys[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
    {
        place = -1;
        for (int k = 0; k < 128; k++)
            if (key[k] == wanted[blockIdx.x]) { place = k; break; }
    }
    __syncthreads();
    if (threadIdx.x == 1) at[blockIdx.x] = place;
}

void run(const int *keys, const int *wanted, int *at, int blocks)
{
    find<<<blocks, 128>>>(keys, wanted, at);
}
