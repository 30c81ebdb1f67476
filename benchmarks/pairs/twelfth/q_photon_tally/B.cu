// 1-D slab photon transport (Monte Carlo) with fixed-point dose tally.
// 64-bit tallies: production runs go up to 10^6 histories per thread.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned long long u64;

static const int NBIN = 64;
static const u64 ONE = 1u << 20;            // weight of a fresh photon

#define SAFE(call)                                                        \
    if (cudaError_t e = (call)) {                                         \
        fprintf(stderr, "%s at %d\n", cudaGetErrorString(e), __LINE__);   \
        return EXIT_FAILURE;                                              \
    }

struct Rng {
    uint32_t s[2];
    __device__ Rng(uint32_t a, uint32_t b)
    {
        s[0] = a * 0x9E3779B9u + 0x7F4A7C15u;
        s[1] = (b ^ 0x85EBCA6Bu) * 0xC2B2AE35u + a;
        for (int i = 0; i < 4; ++i) next();
    }
    __device__ uint32_t next()
    {
        uint32_t a = s[0], b = s[1], r = a * 0x9E3779BBu;
        r = (r << 5 | r >> 27) * 5u;
        b ^= a;
        s[0] = (a << 26 | a >> 6) ^ b ^ (b << 9);
        s[1] = b << 13 | b >> 19;
        return r;
    }
    __device__ float uniform() { return ((next() >> 8) + 0.5f) * (1.0f / 16777216.0f); }
};

// one photon; calls tally(bin, energy) for every interaction
template <class Tally>
__device__ void history(Rng& rng, float thickness, float mfp, uint32_t one, Tally tally)
{
    float z = 0.f, mu = 1.f;
    uint32_t w = one;
    for (int n = 0; n < 40 && w > 64; ++n) {
        z -= mu * mfp * logf(rng.uniform());
        if (z < 0.f || z >= thickness) return;
        uint32_t lost = w / 5;
        tally(min((int)(z / thickness * NBIN), NBIN - 1), lost);
        w -= lost;
        mu = 2.f * rng.uniform() - 0.7f;
        mu = fminf(1.f, mu);
    }
}

__global__ void transport(u64* __restrict__ dose, int histories, float thickness, float mfp, uint32_t one, uint32_t seed)
{
    // block-private tally in fast shared memory, native 32-bit atomics; 64-bit only when flushing
    __shared__ uint32_t local[NBIN];
    for (int i = threadIdx.x; i < NBIN; i += blockDim.x) local[i] = 0;
    __syncthreads();

    int t = blockIdx.x * blockDim.x + threadIdx.x;
    Rng rng(seed, t);
    for (int h = 0; h < histories; ++h)
        history(rng, thickness, mfp, one, [&](int bin, uint32_t e) { atomicAdd(&local[bin], e); });

    __syncthreads();
    for (int i = threadIdx.x; i < NBIN; i += blockDim.x)
        if (local[i]) atomicAdd(&dose[i], (u64)local[i]);
}

int main()
{
    const int blocks = 64, threads = 256, histories = 4;
    u64* d;
    u64 h[NBIN];
    SAFE(cudaMalloc(&d, sizeof h));
    SAFE(cudaMemset(d, 0, sizeof h));
    transport<<<blocks, threads>>>(d, histories, 8.f, 1.f, (uint32_t)ONE, 20240u);
    SAFE(cudaGetLastError());
    SAFE(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    double sum = 0, launched = (double)blocks * threads * histories;
    for (int i = 0; i < NBIN; ++i) sum += (double)h[i];
    printf("absorbed fraction %.6f\n", sum / ONE / launched);
    for (int i = 0; i < NBIN; i += 8) printf("bin %2d  %llu\n", i, h[i]);
    SAFE(cudaFree(d));
    return 0;
}
