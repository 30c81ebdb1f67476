// kernel=nibbles line=21 finding=KO110
#include <cstdio>
#include <vector>

#define BINS 16
#define WARPS 8

// warps have tables of their own, so that they do not meet
__global__ void nibbles(const unsigned char *bytes, int *bins, int n)
{
    __shared__ int tables[WARPS * BINS];
    for (int b = threadIdx.x; b < WARPS * BINS; b += blockDim.x) tables[b] = 0;
    __syncthreads();
    int *table = tables + threadIdx.x / 32 * BINS;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&table[bytes[i] & 15], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        int sum = 0;
        for (int w = 0; w < WARPS; w++) sum += tables[w * BINS + b];
        atomicAdd(&bins[b], sum);
    }
}

int main()
{
    const int n = 10000;
    std::vector<unsigned char> bytes(n);
    for (int i = 0; i < n; i++) bytes[i] = i * 7 + i / 16;
    unsigned char *d_bytes;
    int *d_bins, bins[BINS];
    cudaMalloc(&d_bytes, n);
    cudaMalloc(&d_bins, sizeof(bins));
    cudaMemcpy(d_bytes, bytes.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, sizeof(bins));
    nibbles<<<16, 256>>>(d_bytes, d_bins, n);
    cudaMemcpy(bins, d_bins, sizeof(bins), cudaMemcpyDeviceToHost);
    for (int b = 0; b < BINS; b++) printf("%d ", bins[b]);
    printf("\n");
    return 0;
}
