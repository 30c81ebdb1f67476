#include <cstdio>

#include <cuda_runtime.h>

__global__ void row_sums(const float* table, float* sums, int columns) {
    __shared__ float part[128];
    const float* row = table + blockIdx.x * columns;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns; k += 128) sum += row[k];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// host
int main() {
    const int rows = 24, columns = 1500;
    static float table[rows * columns], sums[rows];
    unsigned state = 7;
    for (int i = 0; i < rows * columns; ++i) {
        state = state * 1664525u + 1013904223u;
        table[i] = (state >> 8) * (1.0f / (1 << 24));
    }
    float *device_table, *device_sums;
    cudaMalloc(&device_table, sizeof table);
    cudaMalloc(&device_sums, sizeof sums);
    cudaMemcpy(device_table, table, sizeof table, cudaMemcpyHostToDevice);
    row_sums<<<rows, 128>>>(device_table, device_sums, columns);
    cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost);
    double all = 0;
    for (int row = 0; row < rows; ++row) all += sums[row];
    printf("%.1f\n", all);
    cudaFree(device_table);
    cudaFree(device_sums);
}
