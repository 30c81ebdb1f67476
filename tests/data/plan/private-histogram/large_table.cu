// kernel=count_keys line=7 finding=KO110
#include <cuda_runtime.h>
#define SLOTS (1 << 20)
__global__ void count_keys(const unsigned *keys, unsigned *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&table[(keys[i] * 2654435761u) >> 12], 1u);
}

void run(unsigned *keys, int n)
{
    unsigned *table;
    cudaMalloc(&table, SLOTS * sizeof(unsigned));
    count_keys<<<(n + 127) / 128, 128>>>(keys, table, n);
}
