#include "histogram.hpp"
#include <cuda_runtime_api.h>
#include <cstdio>
#include <vector>

#ifndef APP_NAME
#define APP_NAME "?"
#endif

int main()
{
    const int n = 4096;
    std::vector<std::uint8_t> data(n);
    for (int i = 0; i < n; ++i) data[i] = std::uint8_t(i * 7);
    void *d = nullptr, *b = nullptr;
    cudaMalloc(&d, n);
    cudaMalloc(&b, 16 * sizeof(unsigned));
    cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, 16 * sizeof(unsigned));
    histogram(static_cast<const std::uint8_t *>(d), static_cast<unsigned *>(b), n);
    unsigned bins[16];
    cudaMemcpy(bins, b, sizeof bins, cudaMemcpyDeviceToHost);
    unsigned total = 0;
    for (unsigned c : bins) total += c;
    std::printf("%s: %u of %d, first bin %u\n", APP_NAME, total, n, bins[0]);
    cudaFree(d);
    cudaFree(b);
    return total == unsigned(n) && bins[0] == 256 ? 0 : 1;
}
