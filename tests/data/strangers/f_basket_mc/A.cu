// Basket option on four correlated assets, Monte Carlo in three stages:
// normals -> terminal payoffs -> moments.
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

__global__ void makeNormals(u64 seed, u64 pairs, float* z)
{
    u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= pairs) return;
    u64 h = hash64(seed + (t + 1) * 0x9E3779B97F4A7C15ULL);
    float a = ((u32)(h >> 40) + 1u) * (1.0f / 16777217.0f);
    float b = (u32)(h & 0xffffffu) * (1.0f / 16777216.0f);
    float r = sqrtf(-2.0f * logf(a)), s, c;
    sincospif(2.0f * b, &s, &c);
    z[2 * t] = r * c;
    z[2 * t + 1] = r * s;
}

__global__ void payoffs(const float* z, int paths, float* pay)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    float value = 0.0f, worst = 1e30f;
    for (int i = 0; i < ASSETS; ++i) {
        float w = 0.0f;
        for (int k = 0; k <= i; ++k) w += bk.chol[i][k] * z[(size_t)p * ASSETS + k];
        float perf = expf(bk.drift[i] + bk.vol[i] * w);
        worst = fminf(worst, perf);
        value += bk.weight[i] * bk.spot[i] * perf;
    }
    float x = fmaxf(value - bk.strike, 0.0f);
    pay[p] = worst < bk.barrier ? 0.0f : bk.discount * x;
}

__global__ void moments(const float* pay, int n, double* out)
{
    __shared__ double s[512], q[512];
    int t = threadIdx.x;
    s[t] = q[t] = 0.0;
    for (int i = blockIdx.x * 512 + t; i < n; i += gridDim.x * 512) { s[t] += pay[i]; q[t] += (double)pay[i] * pay[i]; }
    __syncthreads();
    for (int h = 256; h > 0; h >>= 1) {
        if (t < h) { s[t] += s[t + h]; q[t] += q[t + h]; }
        __syncthreads();
    }
    if (t == 0) { out[2 * blockIdx.x] = s[0]; out[2 * blockIdx.x + 1] = q[0]; }
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
    const u64 pairs = (u64)paths * ASSETS / 2;
    const int nb = 40;
    float *z, *pay; double* out;
    OK(cudaMalloc(&z, (size_t)paths * ASSETS * sizeof(float)));
    OK(cudaMalloc(&pay, (size_t)paths * sizeof(float)));
    OK(cudaMalloc(&out, 2 * nb * sizeof(double)));
    makeNormals<<<(int)((pairs + 255) / 256), 256>>>(seed, pairs, z);
    payoffs<<<(paths + 255) / 256, 256>>>(z, paths, pay);
    moments<<<nb, 512>>>(pay, paths, out);
    OK(cudaGetLastError());
    std::vector<double> h(2 * nb);
    OK(cudaMemcpy(h.data(), out, h.size() * sizeof(double), cudaMemcpyDeviceToHost));
    double s = 0, q = 0;
    for (int i = 0; i < nb; ++i) { s += h[2 * i]; q += h[2 * i + 1]; }
    double mean = s / paths;
    printf("basket %.5f +- %.5f\n", mean, std::sqrt((q / paths - mean * mean) / paths));
    OK(cudaFree(z)); OK(cudaFree(pay)); OK(cudaFree(out));
    return 0;
}
