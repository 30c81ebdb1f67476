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

template <class T>
__device__ __forceinline__ T warp_sum(T v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

// Depth tally private to the block in shared memory; leakage and collision counts in registers.
__global__ void __launch_bounds__(128)
transport(int histories, Tally* t)
{
    __shared__ double depth[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) depth[b] = 0.0;
    __syncthreads();

    double refl = 0.0, trans = 0.0;
    unsigned long long coll = 0;
    const Slab slab = c_slab;
    for (int h = blockIdx.x * blockDim.x + threadIdx.x; h < histories; h += gridDim.x * blockDim.x) {
        Rng rng(h);
        float x = 0.0f, mu = 1.0f, w = 1.0f;
        for (;;) {
            const float s = __fmul_rn(-logf(rng()), slab.mfp);
            x = fmaf(mu, s, x);
            if (x < 0.0f) { refl += w; break; }
            if (x >= slab.thickness) { trans += w; break; }
            const int bin = min(BINS - 1, (int)(x / slab.thickness * BINS));
            const float dep = __fmul_rn(w, slab.absorb);
            atomicAdd(&depth[bin], (double)dep);
            ++coll;
            w = __fsub_rn(w, dep);
            if (w < 0.05f) {                             // Russian roulette
                if (rng() > 0.25f) break;
                w *= 4.0f;
            }
            mu = fmaf(2.0f, rng(), -1.0f);
        }
    }
    refl = warp_sum(refl);
    trans = warp_sum(trans);
    coll = warp_sum(coll);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&t->reflected, refl);
        atomicAdd(&t->transmitted, trans);
        atomicAdd(&t->collisions, coll);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&t->depth[b], depth[b]);
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
