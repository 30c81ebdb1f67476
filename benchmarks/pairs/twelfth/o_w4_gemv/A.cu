// Weight-only 4-bit quantised matrix-vector product, as used when a language model generates one token.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void E(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } }

constexpr int GROUP = 64;     // weights that share scale and zero point

/* Row r of the matrix: K/8 words of eight unsigned nibbles (lowest nibble first),
   K/GROUP scales and zero points. K is a multiple of GROUP. */
struct W4 {
    const uint32_t* words;
    const float* scale;
    const uint8_t* zero;
    int rows, K;
};

__global__ void gemv_w4(W4 m, const float* x, const float* bias, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.rows) return;
    const uint32_t* w = m.words + (size_t)r * (m.K / 8);
    const float* sc = m.scale + (size_t)r * (m.K / GROUP);
    const uint8_t* zp = m.zero + (size_t)r * (m.K / GROUP);
    float acc = 0.f;
    for (int k = 0; k < m.K; k++) {
        int q = (w[k >> 3] >> (4 * (k & 7))) & 15;
        int g = k / GROUP;
        acc += sc[g] * (float)(q - (int)zp[g]) * x[k];
    }
    y[r] = acc + bias[r];
}

__global__ void silu(float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = y[i] / (1.f + expf(-y[i]));
}

template <typename T>
static T* to_gpu(const std::vector<T>& v)
{
    T* p;
    E(cudaMalloc(&p, v.size() * sizeof(T)));
    E(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

int main()
{
    const int rows = 2750, K = 1088;
    std::vector<uint32_t> words((size_t)rows * K / 8);
    std::vector<float> scale((size_t)rows * K / GROUP), x(K), bias(rows), y(rows);
    std::vector<uint8_t> zero(scale.size());
    uint64_t s = 0x9E3779B97F4A7C15ull;
    auto next = [&] { s ^= s >> 12; s ^= s << 25; s ^= s >> 27; return (uint32_t)((s * 2685821657736338717ull) >> 32); };
    for (auto& w : words) w = next();
    for (auto& v : scale) v = 0.002f + (next() & 255) * 1e-5f;
    for (auto& v : zero) v = (uint8_t)(6 + (next() & 3));
    for (int k = 0; k < K; k++) x[k] = std::sin(0.37f * k) + 0.25f * std::cos(2.1f * k);
    for (int r = 0; r < rows; r++) bias[r] = 0.01f * (r % 21 - 10);

    W4 m;
    uint32_t* dw = to_gpu(words);
    float* dsc = to_gpu(scale);
    uint8_t* dz = to_gpu(zero);
    m.words = dw; m.scale = dsc; m.zero = dz; m.rows = rows; m.K = K;
    float *dx = to_gpu(x), *db = to_gpu(bias), *dy;
    E(cudaMalloc(&dy, rows * sizeof(float)));

    gemv_w4<<<(rows + 63) / 64, 64>>>(m, dx, db, dy);
    silu<<<(rows + 255) / 256, 256>>>(dy, rows);
    E(cudaGetLastError());
    E(cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost));

    double a = 0, b = 0;
    for (float v : y) { a += v; b += (double)v * v; }
    printf("sum %.4f  norm %.4f  first %.5f %.5f  last %.5f\n", a, sqrt(b), y[0], y[1], y[rows - 1]);
    cudaFree(dw); cudaFree(dsc); cudaFree(dz); cudaFree(dx); cudaFree(db); cudaFree(dy);
    return 0;
}
