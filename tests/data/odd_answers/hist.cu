#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef unsigned int uint32;
#define NUM_BINS 64

namespace hist {
__device__ __forceinline__ int bin_of(unsigned char v) { return v >> 2; }

extern "C" __global__ void __launch_bounds__(256) histogram(const unsigned char *data, uint32 *bins, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[bin_of(data[i])], 1u);
}
}  // namespace hist

int main()
{
    size_t n = 1 << 17;
    unsigned char *h = (unsigned char *)malloc(n);
    for (size_t i = 0; i < n; i++) h[i] = (unsigned char)(i * 7919 >> 3);
    unsigned char *d; uint32 *b, hb[NUM_BINS];
    cudaMalloc((void **)&d, n); cudaMalloc((void **)&b, sizeof hb);
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof hb);
    hist::histogram<<<(n + 255) / 256, 256>>>(d, b, n);
    cudaMemcpy(hb, b, sizeof hb, cudaMemcpyDeviceToHost);
    for (int i = 0; i < NUM_BINS; i++) printf("%u ", hb[i]);
    printf("\n");
    return 0;
}
