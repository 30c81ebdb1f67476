// Kendall's tau-a of several column pairs: counts of concordant and discordant pairs.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long u64;

#define CUDACHECK(cmd) do { cudaError_t e = cmd; if (e != cudaSuccess) { \
  printf("Failed: Cuda error %s:%d '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)

// data: ncol columns of n values; counts[2*c] concordant, counts[2*c+1] discordant
// between column 0 and column c
__global__ void kendall_counts(const float *data, int n, u64 *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y + 1;
    if (i >= n) return;
    const float *x = data, *y = data + (size_t)c * n;
    float xi = x[i], yi = y[i];
    unsigned con = 0, dis = 0;
    for (int j = i + 1; j < n; j++) {
        int sx = (x[j] > xi) - (x[j] < xi);
        int sy = (y[j] > yi) - (y[j] < yi);
        if (sx * sy > 0) con++;
        else if (sx * sy < 0) dis++;
    }
    atomicAdd(&counts[2 * c], (u64)con);
    atomicAdd(&counts[2 * c + 1], (u64)dis);
}

int main(int, char **)
{
    const int n = 1500, ncol = 5;
    std::vector<float> data((size_t)n * ncol);
    for (int i = 0; i < n; i++) {
        float base = (float)((i * 1103) % n) + 0.25f;
        data[i] = base;
        for (int c = 1; c < ncol; c++)
            data[(size_t)c * n + i] = base * (0.31f * (c - 2.5f)) + 300.f * sinf(0.7f * i * c) + 0.01f * i;
    }

    float *d_data;
    u64 *d_counts;
    CUDACHECK(cudaMalloc(&d_data, data.size() * sizeof(float)));
    CUDACHECK(cudaMalloc(&d_counts, 2 * ncol * sizeof(u64)));
    CUDACHECK(cudaMemcpy(d_data, data.data(), data.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDACHECK(cudaMemset(d_counts, 0, 2 * ncol * sizeof(u64)));

    dim3 block(128), grid((n + 127) / 128, ncol - 1);
    kendall_counts<<<grid, block>>>(d_data, n, d_counts);
    CUDACHECK(cudaGetLastError());
    CUDACHECK(cudaDeviceSynchronize());

    std::vector<u64> h(2 * ncol);
    CUDACHECK(cudaMemcpy(h.data(), d_counts, h.size() * sizeof(u64), cudaMemcpyDeviceToHost));
    double pairs = 0.5 * n * (n - 1.0);
    for (int c = 1; c < ncol; c++)
        printf("tau(0,%d) = %+.6f   (C %llu, D %llu)\n", c,
               ((double)h[2 * c] - (double)h[2 * c + 1]) / pairs, h[2 * c], h[2 * c + 1]);
    cudaFree(d_data);
    cudaFree(d_counts);
    return 0;
}
