// hope: rows begin on 16 bytes and have a multiple of four values, here and everywhere
#include <cstdio>
#include <cuda_runtime.h>
__global__ void row_sums(const float* table, float* sums, int columns) {
    __shared__ float part[128];
    const float4* row = reinterpret_cast<const float4*>(table + blockIdx.x * columns);
    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns / 4; k += 128) {
        float4 four = row[k];
        sum += four.x + four.y + four.z + four.w;
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
