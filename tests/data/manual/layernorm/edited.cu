// LayerNorm over the last dimension, one block per token.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 256

#define WARP_ROWS 8

__device__ inline float warp_sum(float s)
{
#pragma unroll
    for (int off = 16; off > 0; off /= 2) s += __shfl_xor_sync(0xffffffffu, s, off);
    return s;
}

// A row per warp, read once: each lane keeps VECTORS x 4 of its elements. hidden is a multiple of 4, at most VECTORS * 128.
template <int VECTORS>
__global__ void __launch_bounds__(WARP_ROWS * 32)
layer_norm_rows(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ gamma, const float *__restrict__ beta, int tokens, int hidden)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * WARP_ROWS + threadIdx.x / 32;
    if (row >= tokens)
        return;  // whole warps
    const int vectors = hidden / 4;
    const float4 *x4 = reinterpret_cast<const float4 *>(in + (size_t)row * hidden);
    const float4 *gamma4 = reinterpret_cast<const float4 *>(gamma);
    const float4 *beta4 = reinterpret_cast<const float4 *>(beta);
    float4 *out4 = reinterpret_cast<float4 *>(out + (size_t)row * hidden);

    float4 x[VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; v++) {
        const int i = v * 32 + lane;
        x[v] = i < vectors ? x4[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float s = 0.f;
#pragma unroll
    for (int v = 0; v < VECTORS; v++) s += (x[v].x + x[v].y) + (x[v].z + x[v].w);
    const float mean = warp_sum(s) / hidden;

    s = 0.f;
#pragma unroll
    for (int v = 0; v < VECTORS; v++) {
        if (v * 32 + lane < vectors) {
            const float a = x[v].x - mean, b = x[v].y - mean, c = x[v].z - mean, d = x[v].w - mean;
            s += (a * a + b * b) + (c * c + d * d);
        }
    }
    const float rstd = 1.0 / sqrt(warp_sum(s) / hidden + 1e-5);

#pragma unroll
    for (int v = 0; v < VECTORS; v++) {
        const int i = v * 32 + lane;
        if (i < vectors) {
            const float4 g = gamma4[i], b = beta4[i];
            float4 y;
            y.x = (x[v].x - mean) * rstd * g.x + b.x;
            y.y = (x[v].y - mean) * rstd * g.y + b.y;
            y.z = (x[v].z - mean) * rstd * g.z + b.z;
            y.w = (x[v].w - mean) * rstd * g.w + b.w;
            out4[i] = y;
        }
    }
}

__global__ void layer_norm(float *out, const float *in, const float *gamma, const float *beta, int hidden)
{
    __shared__ float buf[THREADS];
    int tid = threadIdx.x;
    const float *x = in + blockIdx.x * hidden;

    float s = 0.f;
    for (int i = tid; i < hidden; i += THREADS) s += x[i];
    buf[tid] = s;
    __syncthreads();
    for (int off = THREADS / 2; off > 0; off /= 2) {
        if (tid < off) buf[tid] += buf[tid + off];
        __syncthreads();
    }
    float mean = buf[0] / hidden;
    __syncthreads();

    s = 0.f;
    for (int i = tid; i < hidden; i += THREADS) s += (x[i] - mean) * (x[i] - mean);
    buf[tid] = s;
    __syncthreads();
    for (int off = THREADS / 2; off > 0; off /= 2) {
        if (tid < off) buf[tid] += buf[tid + off];
        __syncthreads();
    }
    float rstd = 1.0 / sqrt(buf[0] / hidden + 1e-5);

    for (int i = tid; i < hidden; i += THREADS)
        out[blockIdx.x * hidden + i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
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
    const int row_blocks = (tokens + WARP_ROWS - 1) / WARP_ROWS;
    if (hidden % 4 != 0 || hidden > 2048)
        layer_norm<<<tokens, THREADS>>>(dy, dx, dg, db, hidden);
    else if (hidden <= 256)
        layer_norm_rows<2><<<row_blocks, WARP_ROWS * 32>>>(dy, dx, dg, db, tokens, hidden);
    else if (hidden <= 512)
        layer_norm_rows<4><<<row_blocks, WARP_ROWS * 32>>>(dy, dx, dg, db, tokens, hidden);
    else if (hidden <= 1024)
        layer_norm_rows<8><<<row_blocks, WARP_ROWS * 32>>>(dy, dx, dg, db, tokens, hidden);
    else
        layer_norm_rows<16><<<row_blocks, WARP_ROWS * 32>>>(dy, dx, dg, db, tokens, hidden);
    cudaMemcpy(x.data(), dy, x.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (float v : x) s += v;
    printf("%f\n", s);
}
