// Kendall's tau-a of several column pairs: counts of concordant and discordant pairs.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long u64;

#define CUDACHECK(cmd) do { cudaError_t e = cmd; if (e != cudaSuccess) { \
  printf("Failed: Cuda error %s:%d '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)

#define TILE 128

// data: ncol columns of n values; counts[2*c] concordant, counts[2*c+1] discordant
// between column 0 and column c.
// A pair is discordant when the two differences have opposite signs, i.e. when the xor of
// their sign bits is set; one xor and one add per pair, the others are concordant.
__global__ void __launch_bounds__(TILE) kendall_counts(const float *__restrict__ data, int n, u64 *__restrict__ counts)
{
    __shared__ float2 tile[TILE];
    __shared__ unsigned wdis[TILE / 32], wall[TILE / 32];

    const int i = blockIdx.x * TILE + threadIdx.x;
    const int c = blockIdx.y + 1;
    const float *x = data, *y = data + (size_t)c * n;
    const bool live = i < n;
    const float xi = live ? x[i] : 0.f, yi = live ? y[i] : 0.f;

    unsigned dis = 0, all = 0;
    for (int base = blockIdx.x * TILE; base < n; base += TILE) {
        int j = base + threadIdx.x;
        if (j < n) tile[threadIdx.x] = make_float2(x[j], y[j]);
        __syncthreads();
        if (live) {
            int from = base > i ? 0 : i + 1 - base;      // j > i only
            int to = min(TILE, n - base);
            for (int k = from; k < to; k++) {
                float2 q = tile[k];
                dis += (__float_as_uint(q.x - xi) ^ __float_as_uint(q.y - yi)) >> 31;
            }
            all += to > from ? to - from : 0;
        }
        __syncthreads();
    }

    for (int o = 16; o; o >>= 1) {
        dis += __shfl_down_sync(0xffffffffu, dis, o);
        all += __shfl_down_sync(0xffffffffu, all, o);
    }
    if ((threadIdx.x & 31) == 0) { wdis[threadIdx.x >> 5] = dis; wall[threadIdx.x >> 5] = all; }
    __syncthreads();
    if (threadIdx.x == 0) {
        u64 d = 0, t = 0;
        for (int w = 0; w < TILE / 32; w++) { d += wdis[w]; t += wall[w]; }
        atomicAdd(&counts[2 * c], t - d);
        atomicAdd(&counts[2 * c + 1], d);
    }
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

    dim3 block(TILE), grid((n + TILE - 1) / TILE, ncol - 1);
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
