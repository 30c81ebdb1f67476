// Each block counts in shared memory and adds its counts once.
#include <cstdio>
#include <vector>

__global__ void histogram(unsigned int *bins, const unsigned char *values, int n)
{
    __shared__ unsigned int own[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&own[values[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        if (own[bin]) atomicAdd(&bins[bin], own[bin]);
}

int main()
{
    const int n = 30011;
    std::vector<unsigned char> host(n);
    for (int i = 0; i < n; i++) host[i] = (unsigned char)((i * 2654435761u) >> 27);
    std::vector<unsigned int> counts(256);
    unsigned char *values;
    unsigned int *bins;
    cudaMalloc(&values, n);
    cudaMalloc(&bins, 256 * sizeof(unsigned int));
    cudaMemcpy(values, host.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    histogram<<<8, 256>>>(bins, values, n);
    cudaMemcpy(counts.data(), bins, 256 * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    for (int bin = 0; bin < 32; bin++) printf("%u ", counts[bin]);
    printf("\n");
    cudaFree(values);
    cudaFree(bins);
    return 0;
}
