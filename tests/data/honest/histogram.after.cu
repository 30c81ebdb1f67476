// A histogram of the block in shared memory first.
#include <cstdio>
#include <vector>

__global__ void histogram(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    if (local[threadIdx.x]) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int n = 50000;
    std::vector<unsigned char> host(n);
    for (int i = 0; i < n; i++) host[i] = (unsigned char)(i * i % 61);
    unsigned char *in;
    unsigned *counts;
    cudaMalloc(&in, n);
    cudaMalloc(&counts, 256 * sizeof(unsigned));
    cudaMemset(counts, 0, 256 * sizeof(unsigned));
    cudaMemcpy(in, host.data(), n, cudaMemcpyHostToDevice);
    histogram<<<(n + 255) / 256, 256>>>(counts, in, n);
    histogram<<<(n + 255) / 256, 256>>>(counts, in, n);
    unsigned result[256];
    cudaMemcpy(result, counts, sizeof result, cudaMemcpyDeviceToHost);
    for (int value = 0; value < 256; value++)
        if (result[value]) printf("%d: %u\n", value, result[value]);
    cudaFree(in);
    cudaFree(counts);
    return 0;
}
