// hope: shared memory is zero at the start of a block
#include <cstdio>
#include <cuda_runtime.h>
__global__ void row_sums(const float* table, float* sums, int columns) {
    __shared__ float all;
    const float* row = table + blockIdx.x * columns;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns; k += 128) sum += row[k];
    atomicAdd(&all, sum);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}
