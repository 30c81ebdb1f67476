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

// Eight lanes per 8x8 block, lane r holds row r in registers: the row transform stays in the lane,
// the column transform runs over the lanes with xor shuffles. The lanes loop over the modes, so the
// source row is read once and the cheapest mode falls out at the end: no second kernel.
__global__ void __launch_bounds__(128)
satd_choose_kernel(const uint8_t *__restrict__ src, const uint8_t *__restrict__ pred, int *__restrict__ satd,
                   uint8_t *__restrict__ best, int *__restrict__ cost, int width, int height, int lambda)
{
    const unsigned full = 0xffffffffu;
    const int gid = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = gid & 7;
    const int bw = width / 8, nb = bw * (height / 8);
    const bool valid = (gid >> 3) < nb;
    const int b = valid ? (gid >> 3) : nb - 1;       // surplus lanes repeat the last block and store nothing
    const size_t row = (size_t)((b / bw) * 8 + r) * width + (b % bw) * 8;

    int s[8];
#pragma unroll
    for (int i = 0; i < 8; i++) s[i] = src[row + i];

    int bm = 0, bc = 0x7fffffff;
    for (int mode = 0; mode < kModes; mode++) {
        const uint8_t *p = pred + (size_t)mode * width * height + row;
        int v[8];
#pragma unroll
        for (int i = 0; i < 8; i++) v[i] = s[i] - (int)p[i];
#pragma unroll
        for (int step = 1; step < 8; step <<= 1)
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (!(i & step)) {
                    const int a0 = v[i], a1 = v[i + step];
                    v[i] = a0 + a1;
                    v[i + step] = a0 - a1;
                }
#pragma unroll
        for (int step = 1; step < 8; step <<= 1)
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const int o = __shfl_xor_sync(full, v[i], step);
                v[i] = (r & step) ? o - v[i] : v[i] + o;
            }
        int sum = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) sum += abs(v[i]);
        sum += __shfl_xor_sync(full, sum, 1);
        sum += __shfl_xor_sync(full, sum, 2);
        sum += __shfl_xor_sync(full, sum, 4);
        const int d = (sum + 2) >> 2;
        const int c = d + lambda * d_modeBits[mode];
        if (c < bc) { bc = c; bm = mode; }
        if (valid && r == 0) satd[b * kModes + mode] = d;
    }
    if (valid && r == 0) {
        best[b] = (uint8_t)bm;
        cost[b] = bc;
    }
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

    satd_choose_kernel<<<(nb * 8 + 127) / 128, 128>>>(dSrc, dPred, dSatd, dBest, dCost, width, height, lambda);
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
