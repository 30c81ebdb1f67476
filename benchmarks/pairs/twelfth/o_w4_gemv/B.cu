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

constexpr int WARPS_PER_BLOCK = 8;
constexpr int LANES_PER_GROUP = 2;        // a lane takes 32 weights (one uint4) of a group

// One warp per row. Each lane loads 32 nibbles at once; the scale is applied once
// to the sum of the lane's 32 products. SiLU is applied by the lane that holds the row's result.
__global__ void __launch_bounds__(WARPS_PER_BLOCK * 32)
gemv_w4_silu(W4 m, const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31;
    const int r = blockIdx.x * WARPS_PER_BLOCK + (threadIdx.x >> 5);
    if (r >= m.rows) return;              // whole warps leave
    const uint4* w = reinterpret_cast<const uint4*>(m.words + (size_t)r * (m.K / 8));
    const float* sc = m.scale + (size_t)r * (m.K / GROUP);
    const uint8_t* zp = m.zero + (size_t)r * (m.K / GROUP);
    const float4* x4 = reinterpret_cast<const float4*>(x);

    float acc = 0.f;
    const int chunks = m.K / 32;
    for (int c = lane; c < chunks; c += 32) {
        const uint4 v = __ldg(w + c);
        const uint32_t q[4] = {v.x, v.y, v.z, v.w};
        const int g = c / LANES_PER_GROUP;
        const int z = zp[g];
        float part = 0.f;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float4 a = __ldg(x4 + c * 8 + 2 * i);
            const float4 b = __ldg(x4 + c * 8 + 2 * i + 1);
            part = fmaf((float)((int)(q[i] & 15) - z), a.x, part);
            part = fmaf((float)((int)((q[i] >> 4) & 15) - z), a.y, part);
            part = fmaf((float)((int)((q[i] >> 8) & 15) - z), a.z, part);
            part = fmaf((float)((int)((q[i] >> 12) & 15) - z), a.w, part);
            part = fmaf((float)((int)((q[i] >> 16) & 15) - z), b.x, part);
            part = fmaf((float)((int)((q[i] >> 20) & 15) - z), b.y, part);
            part = fmaf((float)((int)((q[i] >> 24) & 15) - z), b.z, part);
            part = fmaf((float)((int)(q[i] >> 28) - z), b.w, part);
        }
        acc = fmaf(sc[g], part, acc);
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if (lane == 0) {
        const float v = acc + bias[r];
        y[r] = v / (1.f + expf(-v));
    }
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

    gemv_w4_silu<<<(rows + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK, WARPS_PER_BLOCK * 32>>>(m, dx, db, dy);
    E(cudaGetLastError());
    E(cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost));

    double a = 0, b = 0;
    for (float v : y) { a += v; b += (double)v * v; }
    printf("sum %.4f  norm %.4f  first %.5f %.5f  last %.5f\n", a, sqrt(b), y[0], y[1], y[rows - 1]);
    cudaFree(dw); cudaFree(dsc); cudaFree(dz); cudaFree(dx); cudaFree(db); cudaFree(dy);
    return 0;
}
