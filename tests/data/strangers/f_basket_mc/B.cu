// Basket option on four correlated assets, Monte Carlo in a single fused pass.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;

#define ASSETS 4
#define OK(c) { cudaError_t r = (c); if (r != cudaSuccess) { fprintf(stderr, "cuda: %s (line %d)\n", cudaGetErrorString(r), __LINE__); exit(1); } }

struct Basket {
    float spot[ASSETS], weight[ASSETS], drift[ASSETS], vol[ASSETS];   // drift and vol for the whole period
    float chol[ASSETS][ASSETS];
    float strike, barrier, discount;                                  // worst performer below barrier: worthless
};

__constant__ Basket bk;

__device__ inline u64 hash64(u64 k)
{
    k ^= k >> 33; k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33; k *= 0xc4ceb9fe1a85ec53ULL;
    return k ^ (k >> 33);
}

// one Box-Muller pair; t is the global number of the pair
__device__ __forceinline__ float2 normalPair(u64 seed, u64 t)
{
    u64 h = hash64(seed + (t + 1) * 0x9E3779B97F4A7C15ULL);
    float a = ((u32)(h >> 40) + 1u) * (1.0f / 16777217.0f);
    float b = (u32)(h & 0xffffffu) * (1.0f / 16777216.0f);
    float r = sqrtf(-2.0f * logf(a)), s, c;
    sincospif(2.0f * b, &s, &c);
    return make_float2(r * c, r * s);
}

__device__ __forceinline__ float payoffOf(u64 seed, int p)
{
    float z[ASSETS];
#pragma unroll
    for (int k = 0; k < ASSETS; k += 2) {
        float2 g = normalPair(seed, (u64)p * (ASSETS / 2) + k / 2);
        z[k] = g.x; z[k + 1] = g.y;
    }
    float value = 0.0f, worst = 1e30f;
#pragma unroll
    for (int i = 0; i < ASSETS; ++i) {
        float w = 0.0f;
#pragma unroll
        for (int k = 0; k <= i; ++k) w += bk.chol[i][k] * z[k];
        float perf = expf(bk.drift[i] + bk.vol[i] * w);
        worst = fminf(worst, perf);
        value += bk.weight[i] * bk.spot[i] * perf;
    }
    float x = fmaxf(value - bk.strike, 0.0f);
    return worst < bk.barrier ? 0.0f : bk.discount * x;
}

#define TPB 256

// Everything in one pass: neither normals nor payoffs are stored.
__global__ void __launch_bounds__(TPB) priceBasket(u64 seed, int paths, double* __restrict__ out)
{
    __shared__ double s[TPB / 32], q[TPB / 32];
    double a = 0.0, b = 0.0;
    for (long long p = (long long)blockIdx.x * TPB + threadIdx.x; p < paths; p += (long long)gridDim.x * TPB) {
        double v = payoffOf(seed, (int)p);
        a += v; b += v * v;
    }
    for (int o = 16; o > 0; o >>= 1) {
        a += __shfl_down_sync(0xffffffffu, a, o);
        b += __shfl_down_sync(0xffffffffu, b, o);
    }
    if (threadIdx.x % 32 == 0) { s[threadIdx.x / 32] = a; q[threadIdx.x / 32] = b; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < TPB / 32; ++w) { a += s[w]; b += q[w]; }
        out[2 * blockIdx.x] = a; out[2 * blockIdx.x + 1] = b;
    }
}

static Basket makeBasket()
{
    Basket b;
    const float sig[ASSETS] = { 0.2f, 0.31f, 0.17f, 0.26f }, T = 1.5f, r = 0.025f;
    for (int i = 0; i < ASSETS; ++i) {
        b.spot[i] = 90.0f + 7.0f * i; b.weight[i] = 0.25f;
        b.drift[i] = (r - 0.5f * sig[i] * sig[i]) * T; b.vol[i] = sig[i] * std::sqrt(T);
    }
    float corr[ASSETS][ASSETS];
    for (int i = 0; i < ASSETS; ++i) for (int j = 0; j < ASSETS; ++j) { corr[i][j] = i == j ? 1.0f : 0.45f - 0.05f * (i + j); b.chol[i][j] = 0.0f; }
    for (int i = 0; i < ASSETS; ++i) for (int j = 0; j <= i; ++j) {
        float s = corr[i][j];
        for (int k = 0; k < j; ++k) s -= b.chol[i][k] * b.chol[j][k];
        b.chol[i][j] = i == j ? std::sqrt(s) : s / b.chol[j][j];
    }
    b.strike = 100.0f; b.barrier = 0.6f; b.discount = std::exp(-r * T);
    return b;
}

int main()
{
    const int paths = 300000;
    const u64 seed = 0x1234abcdULL;
    Basket b = makeBasket();
    OK(cudaMemcpyToSymbol(bk, &b, sizeof(b)));
    const int nb = (paths + 4 * TPB - 1) / (4 * TPB);      // about four paths per thread
    double* out;
    OK(cudaMalloc(&out, 2 * nb * sizeof(double)));
    priceBasket<<<nb, TPB>>>(seed, paths, out);
    OK(cudaGetLastError());
    std::vector<double> h(2 * nb);
    OK(cudaMemcpy(h.data(), out, h.size() * sizeof(double), cudaMemcpyDeviceToHost));
    double s = 0, q = 0;
    for (int i = 0; i < nb; ++i) { s += h[2 * i]; q += h[2 * i + 1]; }
    double mean = s / paths;
    printf("basket %.5f +- %.5f\n", mean, std::sqrt((q / paths - mean * mean) / paths));
    OK(cudaFree(out));
    return 0;
}
