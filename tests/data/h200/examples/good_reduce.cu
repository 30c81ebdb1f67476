// Already good: grid-stride loads, warp shuffles, one atomic per block. Nothing to propose.
#include <cstdio>
#include <vector>

__inline__ __device__ int warp_sum(int value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void sum(const int *__restrict__ in, int *__restrict__ out, int n)
{
    __shared__ int partial[8];
    int total = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) total += in[i];

    total = warp_sum(total);
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == 0) partial[warp] = total;
    __syncthreads();
    if (warp == 0) {
        total = lane < blockDim.x / warpSize ? partial[lane] : 0;
        total = warp_sum(total);
        if (lane == 0) atomicAdd(out, total);
    }
}

int main()
{
    const int n = 1 << 20;
    std::vector<int> data(n);
    long long expected = 0;
    for (int i = 0; i < n; i++) expected += data[i] = i % 17 - 8;
    int *d_data, *d_sum, result = 0;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, sizeof(int));
    sum<<<264, 256>>>(d_data, d_sum, n);
    cudaMemcpy(&result, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("sum %d, expected %lld\n", result, expected);
    cudaFree(d_data);
    cudaFree(d_sum);
    return result != expected;
}
