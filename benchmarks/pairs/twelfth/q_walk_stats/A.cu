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

__global__ void walks(int nWalks, int steps, uint32_t seed, Totals* tot, unsigned int* hist)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nWalks) return;
    int x = 0, y = 0, z = 0, top = 0;
    unsigned hits = 0;
    for (int s = 0; s < steps; ++s) {
        switch (draw(i, s, seed) % 6u) {
        case 0: ++x; break;
        case 1: --x; break;
        case 2: ++y; break;
        case 3: --y; break;
        case 4: ++z; break;
        default:
            if (z > 0) --z; else ++hits;
        }
        top = max(top, z);
    }
    long long r2 = (long long)x * x + (long long)y * y + (long long)z * z;
    atomicAdd(&tot->r2, (unsigned long long)r2);
    if (hits) atomicAdd(&tot->floorHits, (unsigned long long)hits);
    if (x == 0 && y == 0 && z == 0) atomicAdd(&tot->returned, 1u);
    atomicAdd(&hist[min(top, BINS - 1)], 1u);
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

    walks<<<(nWalks + 191) / 192, 192>>>(nWalks, steps, 0xC0FFEEu, dTot, dHist);
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
