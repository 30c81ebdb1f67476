// kernel=moments line=22 finding=KO122
#include <cstdio>
#include <cuda_runtime.h>

const int GROUPS = 100;

__global__ void moments(const float* values, const int* groups, int n, float* sums, int* counts)
{
    __shared__ float group_sum[GROUPS];
    __shared__ int group_count[GROUPS];
    for (int g = threadIdx.x; g < GROUPS; g += blockDim.x) {
        group_sum[g] = 0;
        group_count[g] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&group_sum[groups[i]], values[i]);
        atomicAdd(&group_count[groups[i]], 1);
    }
    __syncthreads();
    if (!threadIdx.x) {
        for (int g = 0; g < GROUPS; g++) sums[blockIdx.x * GROUPS + g] = group_sum[g];
        for (int g = 0; g < GROUPS; g++) counts[blockIdx.x * GROUPS + g] = group_count[g];
    }
}

int main()
{
    const int n = 50000, blocks = 40;
    float *values, *sums, *h = new float[n], *part = new float[blocks * GROUPS];
    int *groups, *counts, *g = new int[n], *number = new int[blocks * GROUPS];
    for (int i = 0; i < n; i++) {
        h[i] = (i % 64) * 0.5f;
        g[i] = (i * 17) % GROUPS;
    }
    cudaMalloc(&values, n * sizeof(float));
    cudaMalloc(&groups, n * sizeof(int));
    cudaMalloc(&sums, blocks * GROUPS * sizeof(float));
    cudaMalloc(&counts, blocks * GROUPS * sizeof(int));
    cudaMemcpy(values, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(groups, g, n * sizeof(int), cudaMemcpyHostToDevice);
    moments<<<blocks, 192>>>(values, groups, n, sums, counts);
    cudaMemcpy(part, sums, blocks * GROUPS * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(number, counts, blocks * GROUPS * sizeof(int), cudaMemcpyDeviceToHost);
    double total = 0;
    for (int i = 0; i < blocks * GROUPS; i++) total += part[i] * (i % 7) + number[i];
    printf("%.2f\n", total);
    return 0;
}
