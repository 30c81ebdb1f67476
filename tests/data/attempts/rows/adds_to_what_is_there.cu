// hope: the output is zero before the call, as memory from the allocator is
#include <cstdio>
#include <cuda_runtime.h>
__global__ void row_sums(const float* table, float* sums, int columns) {
    const float* row = table + blockIdx.x * columns;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns; k += 128) sum += row[k];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[blockIdx.x], sum);
}
