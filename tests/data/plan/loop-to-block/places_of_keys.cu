// kernel=place line=13 finding=KO122
#include <cuda_runtime.h>

// every key of the block goes where its bucket has room
__global__ void place(const int *keys, int *sorted, int *room)
{
    __shared__ int key[256];
    int t = threadIdx.x;
    key[t] = keys[blockIdx.x * 256 + t];
    __syncthreads();
    if (t == 0)
    {
        for (int k = 0; k < 256; k++)
            sorted[atomicAdd(&room[key[k]], 1)] = key[k];
    }
}

void run(const int *keys, int *sorted, int *room, int blocks)
{
    place<<<blocks, 256>>>(keys, sorted, room);
}
