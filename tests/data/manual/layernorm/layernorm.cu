// LayerNorm over the last dimension, one block per token.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 256

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
    layer_norm<<<tokens, THREADS>>>(dy, dx, dg, db, hidden);
    cudaMemcpy(x.data(), dy, x.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (float v : x) s += v;
    printf("%f\n", s);
}
