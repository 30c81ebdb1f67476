// LayerNorm over the last dimension, one block per token.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 256

__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

// the sum over the block in every thread; one call for each `parts`
__device__ __forceinline__ float block_sum(float value, float *parts)
{
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < THREADS / 32 ? parts[threadIdx.x % 32] : 0.f);
}

__global__ void layer_norm(float *out, const float *in, const float *gamma, const float *beta, int hidden)
{
    __shared__ float sums[THREADS / 32], squares[THREADS / 32];
    int tid = threadIdx.x;
    const float *x = in + blockIdx.x * hidden;
    const bool is_short = hidden <= 8 * THREADS;

    float row[8];
    float s = 0.f;
    if (is_short) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            row[j] = tid + j * THREADS < hidden ? x[tid + j * THREADS] : 0.f;
            s += row[j];
        }
    } else {
        for (int i = tid; i < hidden; i += THREADS) s += x[i];
    }
    const float mean = block_sum(s, sums) / hidden;

    s = 0.f;
    if (is_short) {
#pragma unroll
        for (int j = 0; j < 8; ++j)
            if (tid + j * THREADS < hidden) s += (row[j] - mean) * (row[j] - mean);
    } else {
        for (int i = tid; i < hidden; i += THREADS) s += (x[i] - mean) * (x[i] - mean);
    }
    s = block_sum(s, squares);
    const float rstd = 1.0f / sqrtf(s / hidden + 1e-5f);

    if (is_short) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int i = tid + j * THREADS;
            if (i < hidden) out[blockIdx.x * hidden + i] = (row[j] - mean) * rstd * gamma[i] + beta[i];
        }
    } else {
        for (int i = tid; i < hidden; i += THREADS)
            out[blockIdx.x * hidden + i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
    }
}

int main(int argc, char **argv)
{
    int tokens = argc > 1 ? atoi(argv[1]) : 128;
    int hidden = argc > 2 ? atoi(argv[2]) : 768;
    std::vector<float> x(tokens * hidden), g(hidden), b(hidden);
    for (size_t i = 0; i < x.size(); i++) x[i] = (float)((i * 7919) % 1000) / 500.f - 1.f;
    for (int i = 0; i < hidden; i++) { g[i] = 1.f + 0.001f * i; b[i] = 0.01f * (i % 7); }
    float *dx, *dy, *dg, *db;
    cudaMalloc(&dx, x.size() * 4); cudaMalloc(&dy, x.size() * 4);
    cudaMalloc(&dg, hidden * 4); cudaMalloc(&db, hidden * 4);
    cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dg, g.data(), hidden * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), hidden * 4, cudaMemcpyHostToDevice);
    layer_norm<<<tokens, THREADS>>>(dy, dx, dg, db, hidden);
    cudaMemcpy(x.data(), dy, x.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (float v : x) s += v;
    printf("%f\n", s);
}
