// kernel=warpWave line=30 finding=KO125
// Dynamic time warping of a query against a reference, rectangular, floats, one launch a wave.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int kThreads = 96;

template <typename T>
__global__ void warpWave(const T *__restrict__ query, const T *__restrict__ reference, T *cost, int qLen, int rLen, int wave)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = wave - col;
    if (col < 1 || col > rLen || row < 1 || row > qLen) return;
    const int pitch = rLen + 1;
    const int cell = row * pitch + col;
    const T dist = fabsf(query[row - 1] - reference[col - 1]);
    T best = cost[cell - pitch - 1];
    if (cost[cell - 1] < best) best = cost[cell - 1];
    if (cost[cell - pitch] < best) best = cost[cell - pitch];
    cost[cell] = dist + best;
}

static void warp(const float *dq, const float *dr, float *dc, int qLen, int rLen)
{
    int wave = 2;
    while (wave <= qLen + rLen) {
        warpWave<float><<<(rLen + kThreads) / kThreads, kThreads>>>(dq, dr, dc, qLen, rLen, wave);
        ++wave;
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
