// One global atomic an element; an accumulator that two launches share.
#include <cstdio>
#include <vector>

__global__ void histogram(unsigned *counts, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[in[i]], 1u);
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
