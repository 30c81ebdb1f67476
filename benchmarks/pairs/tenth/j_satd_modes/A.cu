// Encoder mode decision: SATD (8x8 Hadamard) of each block against several predictions, then the cheapest mode.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(x) do { cudaError_t err__ = (x); if (err__ != cudaSuccess) { \
    fprintf(stderr, "[%s:%d] %s\n", __FILE__, __LINE__, cudaGetErrorString(err__)); exit(1); } } while (0)

static const int kModes = 5;
__constant__ int d_modeBits[kModes];

__device__ void hadamard8(int *v, int stride)
{
    for (int step = 1; step < 8; step <<= 1)
        for (int i = 0; i < 8; i++)
            if (!(i & step)) {
                int a = v[i * stride], b = v[(i + step) * stride];
                v[i * stride] = a + b;
                v[(i + step) * stride] = a - b;
            }
}

// one thread per (block, mode); width and height are multiples of 8
__global__ void satd_kernel(const uint8_t *src, const uint8_t *pred, int *satd, int width, int height)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int bw = width / 8, nb = bw * (height / 8);
    if (id >= nb * kModes) return;
    int b = id / kModes, mode = id % kModes;
    int x0 = (b % bw) * 8, y0 = (b / bw) * 8;
    const uint8_t *p = pred + (size_t)mode * width * height;

    int m[64];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            int o = (y0 + y) * width + x0 + x;
            m[y * 8 + x] = (int)src[o] - (int)p[o];
        }
    for (int y = 0; y < 8; y++) hadamard8(m + y * 8, 1);
    for (int x = 0; x < 8; x++) hadamard8(m + x, 8);
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += abs(m[i]);
    satd[id] = (sum + 2) >> 2;
}

__global__ void choose_kernel(const int *satd, uint8_t *best, int *cost, int nb, int lambda)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nb) return;
    int bm = 0, bc = 0x7fffffff;
    for (int m = 0; m < kModes; m++) {
        int c = satd[b * kModes + m] + lambda * d_modeBits[m];
        if (c < bc) { bc = c; bm = m; }
    }
    best[b] = (uint8_t)bm;
    cost[b] = bc;
}

int main()
{
    const int width = 424, height = 248, lambda = 9;
    const int nb = (width / 8) * (height / 8);
    const size_t n = (size_t)width * height;
    std::vector<uint8_t> src(n), pred(n * kModes);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int tex = ((x * x + 3 * y * y) >> 6) & 63;
            src[(size_t)y * width + x] = (uint8_t)(60 + tex + ((x / 40 + y / 24) % 3) * 35);
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t o = (size_t)y * width + x;
            int bx = x & ~7, by = y & ~7;
            int left = bx ? src[(size_t)y * width + bx - 1] : 128;
            int up = by ? src[(size_t)(by - 1) * width + x] : 128;
            pred[o] = (uint8_t)up;
            pred[n + o] = (uint8_t)left;
            pred[2 * n + o] = (uint8_t)((up + left + 1) / 2);
            pred[3 * n + o] = (uint8_t)(x >= 2 && y >= 1 ? src[o - width - 2] : 128);
            pred[4 * n + o] = 110;
        }

    uint8_t *dSrc, *dPred, *dBest;
    int *dSatd, *dCost;
    CUDA_CHECK(cudaMalloc(&dSrc, n));
    CUDA_CHECK(cudaMalloc(&dPred, n * kModes));
    CUDA_CHECK(cudaMalloc(&dBest, nb));
    CUDA_CHECK(cudaMalloc(&dSatd, nb * kModes * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&dCost, nb * sizeof(int)));
    const int bits[kModes] = {1, 2, 3, 5, 3};
    CUDA_CHECK(cudaMemcpyToSymbol(d_modeBits, bits, sizeof(bits)));
    CUDA_CHECK(cudaMemcpy(dSrc, src.data(), n, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dPred, pred.data(), n * kModes, cudaMemcpyHostToDevice));

    satd_kernel<<<(nb * kModes + 127) / 128, 128>>>(dSrc, dPred, dSatd, width, height);
    CUDA_CHECK(cudaGetLastError());
    choose_kernel<<<(nb + 127) / 128, 128>>>(dSatd, dBest, dCost, nb, lambda);
    CUDA_CHECK(cudaGetLastError());

    std::vector<uint8_t> best(nb);
    std::vector<int> cost(nb), satd(nb * kModes);
    CUDA_CHECK(cudaMemcpy(best.data(), dBest, nb, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(cost.data(), dCost, nb * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(satd.data(), dSatd, nb * kModes * sizeof(int), cudaMemcpyDeviceToHost));
    int used[kModes] = {0};
    long long total = 0, all = 0;
    for (int b = 0; b < nb; b++) { used[best[b]]++; total += cost[b]; }
    for (int v : satd) all += v;
    printf("blocks %d cost %lld satd %lld modes", nb, total, all);
    for (int m = 0; m < kModes; m++) printf(" %d", used[m]);
    printf("\n");
    cudaFree(dSrc); cudaFree(dPred); cudaFree(dBest); cudaFree(dSatd); cudaFree(dCost);
    return 0;
}
