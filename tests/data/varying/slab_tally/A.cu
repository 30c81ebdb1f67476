// Monte-Carlo photon transport in a 1-D slab with implicit capture.
// Tallies: absorbed weight per depth bin, reflected and transmitted weight.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OR_DIE(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

constexpr int BINS = 50;
struct Slab { float thickness, mfp, absorb; };
__constant__ Slab c_slab;

struct Tally { double depth[BINS]; double reflected, transmitted; unsigned long long collisions; };

struct Rng {
    uint64_t s;
    __device__ explicit Rng(uint64_t history) : s(history * 0x9E3779B97F4A7C15ull + 0xD1B54A32D192ED03ull) {}
    __device__ float operator()()                        // (0, 1]
    {
        s += 0x9E3779B97F4A7C15ull;
        uint64_t z = s;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        z ^= z >> 31;
        return ((uint32_t)(z >> 40) + 1u) * (1.0f / 16777216.0f);
    }
};

__global__ void transport(int histories, Tally* t)
{
    int h = blockIdx.x * blockDim.x + threadIdx.x;
    if (h >= histories) return;
    Rng rng(h);
    float x = 0.0f, mu = 1.0f, w = 1.0f;
    for (;;) {
        float s = __fmul_rn(-logf(rng()), c_slab.mfp);
        x = fmaf(mu, s, x);
        if (x < 0.0f) { atomicAdd(&t->reflected, (double)w); return; }
        if (x >= c_slab.thickness) { atomicAdd(&t->transmitted, (double)w); return; }
        int bin = min(BINS - 1, (int)(x / c_slab.thickness * BINS));
        float dep = __fmul_rn(w, c_slab.absorb);
        atomicAdd(&t->depth[bin], (double)dep);
        atomicAdd(&t->collisions, 1ull);
        w = __fsub_rn(w, dep);
        if (w < 0.05f) {                                 // Russian roulette
            if (rng() > 0.25f) return;
            w *= 4.0f;
        }
        mu = fmaf(2.0f, rng(), -1.0f);
    }
}

int main()
{
    const int histories = 40000;
    Slab slab{5.0f, 1.0f, 0.3f};
    CUDA_OR_DIE(cudaMemcpyToSymbol(c_slab, &slab, sizeof slab));
    Tally* d;
    CUDA_OR_DIE(cudaMalloc(&d, sizeof(Tally)));
    CUDA_OR_DIE(cudaMemset(d, 0, sizeof(Tally)));
    transport<<<(histories + 127) / 128, 128>>>(histories, d);
    CUDA_OR_DIE(cudaGetLastError());
    Tally t;
    CUDA_OR_DIE(cudaMemcpy(&t, d, sizeof t, cudaMemcpyDeviceToHost));
    double absorbed = 0;
    for (double v : t.depth) absorbed += v;
    printf("collisions %llu\n", t.collisions);
    printf("reflected %.8f transmitted %.8f absorbed %.8f\n",
           t.reflected / histories, t.transmitted / histories, absorbed / histories);
    for (int b = 0; b < BINS; b += 7) printf("depth bin %2d: %.8f\n", b, t.depth[b] / histories);
    CUDA_OR_DIE(cudaFree(d));
    return 0;
}
