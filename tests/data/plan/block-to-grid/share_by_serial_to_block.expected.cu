// kernel=total_weight line=39 finding=KO111
#include <cstdio>
#include <vector>

#define ITEMS 40000

__global__ void total_weight(const int *weights, const int *counts, int *total)
{
    int sum = 0;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < ITEMS; i += 1024 * gridDim.x)
        sum += weights[i] * counts[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ int warp_sum[32];
    if (threadIdx.x % 32 == 0)
        warp_sum[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = warp_sum[0];
    for (int warp = 1; warp < 32; warp++)
        sum += warp_sum[warp];
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

int main()
{
    const int n = ITEMS;
    std::vector<int> w(n), c(n);
    for (int i = 0; i < n; i++) {
        w[i] = i % 13;
        c[i] = i % 3;
    }
    int *weights, *counts, *total, result;
    cudaMalloc(&weights, n * sizeof(int));
    cudaMalloc(&counts, n * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemcpy(weights, w.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(counts, c.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int repeat = 0; repeat < 2; repeat++) {
        cudaMemset(total, 0, sizeof(int));
        total_weight<<<9, 1024>>>(weights, counts, total);
    }
    cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result);
}
