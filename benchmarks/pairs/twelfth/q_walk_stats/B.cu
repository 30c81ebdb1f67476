// Monte Carlo: lattice random walks in 3-D with a reflecting floor. Mean squared end distance and a
// histogram of the largest height that a walk reaches. Counter-based random numbers, all integer.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

#define TRY(x) if (cudaError_t rc_ = (x); rc_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(rc_)); return 1; }

constexpr int BINS = 40;

struct Totals {
    unsigned long long r2;        // sum of squared end distances
    unsigned long long floorHits;
    unsigned int       returned;  // walks that end where they began
};

__device__ uint32_t draw(uint32_t walk, uint32_t step, uint32_t seed)
{
    uint32_t x = walk * 0x9E3779B9u ^ (step * 0x85EBCA77u + seed);
    x ^= x >> 15; x *= 0x2C1B3C6Du;
    x ^= x >> 12; x *= 0x297A2D39u;
    x ^= x >> 15;
    return x;
}

constexpr int TPB = 256;

template <class T>
__device__ __forceinline__ T warpSum(T v)
{
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

// Grid-stride over the walks; the sums stay in registers, the histogram in shared memory,
// and a block touches global memory once at its end.
__global__ void __launch_bounds__(TPB) walks(int nWalks, int steps, uint32_t seed, Totals* __restrict__ tot,
                                             unsigned int* __restrict__ hist)
{
    __shared__ unsigned int localHist[BINS];
    __shared__ unsigned long long partR2[TPB / 32], partHits[TPB / 32];
    __shared__ unsigned int partRet[TPB / 32];
    for (int b = threadIdx.x; b < BINS; b += TPB) localHist[b] = 0;
    __syncthreads();

    unsigned long long sumR2 = 0, sumHits = 0;
    unsigned int returned = 0;
    const long long stride = (long long)gridDim.x * TPB;
    for (long long i = (long long)blockIdx.x * TPB + threadIdx.x; i < nWalks; i += stride) {
        int x = 0, y = 0, z = 0, top = 0;
        unsigned hits = 0;
        for (int s = 0; s < steps; ++s) {
            const uint32_t d = draw((uint32_t)i, s, seed) % 6u;
            x += (d == 0) - (d == 1);
            y += (d == 2) - (d == 3);
            const bool down = d == 5, blocked = down && z == 0;
            z += (d == 4) - (down && !blocked);
            hits += blocked;
            top = max(top, z);
        }
        sumR2 += (unsigned long long)((long long)x * x + (long long)y * y + (long long)z * z);
        sumHits += hits;
        returned += (x | y | z) == 0;
        atomicAdd(&localHist[min(top, BINS - 1)], 1u);
    }

    sumR2 = warpSum(sumR2);
    sumHits = warpSum(sumHits);
    returned = warpSum(returned);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) {
        partR2[warp] = sumR2;
        partHits[warp] = sumHits;
        partRet[warp] = returned;
    }
    __syncthreads();                         // also: all of localHist is counted

    if (warp == 0) {
        const bool has = lane < TPB / 32;
        sumR2 = warpSum(has ? partR2[lane] : 0ull);
        sumHits = warpSum(has ? partHits[lane] : 0ull);
        returned = warpSum(has ? partRet[lane] : 0u);
        if (lane == 0) {
            if (sumR2) atomicAdd(&tot->r2, sumR2);
            if (sumHits) atomicAdd(&tot->floorHits, sumHits);
            if (returned) atomicAdd(&tot->returned, returned);
        }
    }
    for (int b = threadIdx.x; b < BINS; b += TPB)
        if (localHist[b]) atomicAdd(&hist[b], localHist[b]);
}

int main()
{
    const int nWalks = 50000, steps = 120;
    Totals *dTot, t{};
    unsigned int* dHist;
    std::vector<unsigned int> hist(BINS);
    TRY(cudaMalloc(&dTot, sizeof(Totals)));
    TRY(cudaMalloc(&dHist, BINS * sizeof(unsigned int)));
    TRY(cudaMemset(dTot, 0, sizeof(Totals)));
    TRY(cudaMemset(dHist, 0, BINS * sizeof(unsigned int)));

    int dev = 0, sms = 0;
    TRY(cudaGetDevice(&dev));
    TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    int blocks = (nWalks + TPB - 1) / TPB;
    if (blocks > 4 * sms) blocks = 4 * sms;
    walks<<<blocks, TPB>>>(nWalks, steps, 0xC0FFEEu, dTot, dHist);
    TRY(cudaGetLastError());

    TRY(cudaMemcpy(&t, dTot, sizeof(Totals), cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(hist.data(), dHist, BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    printf("<r^2> = %.6f  floor hits %llu  returned %u\n", (double)t.r2 / nWalks, t.floorHits, t.returned);
    for (int b = 0; b < BINS; ++b)
        if (hist[b]) printf("%3d %u\n", b, hist[b]);
    TRY(cudaFree(dTot));
    TRY(cudaFree(dHist));
    return 0;
}
