// kernel=warpWave line=30 finding=KO125
// Dynamic time warping of a query against a reference, rectangular, floats, one launch a wave.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int kThreads = 96;

constexpr int kTile = 32;

// Each block fills a tile of the table, and a launch the diagonal `wave` of tiles.
template <typename T>
__global__ void warpWave(const T *__restrict__ query, const T *__restrict__ reference, T *cost, int qLen, int rLen, int wave, int first)
{
    __shared__ T tile[kTile + 1][kTile + 2];
    const int pitch = rLen + 1;
    const int t = threadIdx.x;
    const int firstRow = 1 + (first + blockIdx.x) * kTile;
    const int firstCol = 1 + (wave - first - blockIdx.x) * kTile;
    const int row = firstRow + t;

    // what the tiles above and to the left have stored next to this one
    if (row <= qLen)
        tile[t + 1][0] = cost[row * pitch + firstCol - 1];
    if (firstCol + t <= rLen)
        tile[0][t + 1] = cost[(firstRow - 1) * pitch + firstCol + t];
    if (t == 0)
        tile[0][0] = cost[(firstRow - 1) * pitch + firstCol - 1];
    __syncthreads();

    for (int step = 0; step < 2 * kTile - 1; step++) {
        const int c = step - t;
        const int col = firstCol + c;
        if (c >= 0 && c < kTile && row <= qLen && col <= rLen) {
            const T dist = fabsf(query[row - 1] - reference[col - 1]);
            T best = tile[t][c];
            if (tile[t + 1][c] < best) best = tile[t + 1][c];
            if (tile[t][c + 1] < best) best = tile[t][c + 1];
            tile[t + 1][c + 1] = dist + best;
        }
        __syncthreads();
    }

    if (firstCol + t <= rLen)
        for (int r = 0; r < kTile && firstRow + r <= qLen; r++)
            cost[(firstRow + r) * pitch + firstCol + t] = tile[r + 1][t + 1];
}

static void warp(const float *dq, const float *dr, float *dc, int qLen, int rLen)
{
    const int tileRows = (qLen + kTile - 1) / kTile;
    const int tileColumns = (rLen + kTile - 1) / kTile;
    for (int wave = 0; wave < tileRows + tileColumns - 1; ++wave) {
        const int first = wave < tileColumns ? 0 : wave - tileColumns + 1;
        const int last = wave < tileRows ? wave : tileRows - 1;
        if (last < first) continue;  // no rows or no columns
        warpWave<float><<<last - first + 1, kTile>>>(dq, dr, dc, qLen, rLen, wave, first);
    }
}

int main(int argc, char **argv)
{
    const int qLen = argc > 1 ? atoi(argv[1]) : 131, rLen = argc > 2 ? atoi(argv[2]) : 203;
    std::vector<float> q(qLen), r(rLen), c((size_t)(qLen + 1) * (rLen + 1), INFINITY);
    for (int i = 0; i < qLen; ++i) q[i] = sinf(0.1f * i);
    for (int i = 0; i < rLen; ++i) r[i] = sinf(0.07f * i + 0.3f);
    c[0] = 0.0f;
    float *dq, *dr, *dc;
    cudaMalloc(&dq, qLen * sizeof(float));
    cudaMalloc(&dr, rLen * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(dq, q.data(), qLen * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, r.data(), rLen * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
    warp(dq, dr, dc, qLen, rLen);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("distance %.4f\n", c.back());
    cudaFree(dq); cudaFree(dr); cudaFree(dc);
    return 0;
}
