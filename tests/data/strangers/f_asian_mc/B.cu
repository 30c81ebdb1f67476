// Arithmetic Asian call by Monte Carlo. Counter-based random numbers: draw number (path * steps + step).
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CHK(e) if ((e) != cudaSuccess) { printf("cuda failure at line %d\n", __LINE__); return -1; }

struct Market { float s0, strike, drift, vol, discount; };

__host__ __device__ inline uint64_t mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

__device__ inline float gauss(uint64_t seed, uint64_t counter)
{
    uint64_t r = mix(seed ^ mix(counter));
    float u1 = ((uint32_t)(r >> 40) + 0.5f) * (1.0f / 16777216.0f);
    float u2 = (uint32_t)(r & 0xffffff) * (1.0f / 16777216.0f);
    return sqrtf(-2.0f * logf(u1)) * cospif(2.0f * u2);
}

// Paths are walked in a grid-stride loop and the payoffs never leave the registers:
// only one pair of partial sums per block is written.
__global__ void __launch_bounds__(256)
simulate(Market mk, unsigned paths, unsigned steps, uint64_t seed, double* __restrict__ partial)
{
    __shared__ double w1[8], w2[8];
    const float invSteps = 1.0f / (float)steps;
    double a = 0, b = 0;
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += stride) {
        uint64_t counter = p * steps;
        float logS = 0.0f, sum = 0.0f;
#pragma unroll 4
        for (unsigned s = 0; s < steps; ++s) {
            logS += mk.drift + mk.vol * gauss(seed, counter + s);
            sum += expf(logS);
        }
        double v = mk.discount * fmaxf(mk.s0 * sum * invSteps - mk.strike, 0.0f);
        a += v; b += v * v;
    }
    for (int o = 16; o; o >>= 1) {
        a += __shfl_down_sync(0xffffffffu, a, o);
        b += __shfl_down_sync(0xffffffffu, b, o);
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) { w1[warp] = a; w2[warp] = b; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) { a += w1[k]; b += w2[k]; }
        partial[2 * blockIdx.x] = a;
        partial[2 * blockIdx.x + 1] = b;
    }
}

int main()
{
    const int paths = 100000, steps = 48;
    const float T = 1.0f, r = 0.03f, sigma = 0.27f, dt = T / steps;
    Market mk = { 100.0f, 103.0f, (r - 0.5f * sigma * sigma) * dt, sigma * sqrtf(dt), expf(-r * T) };
    const uint64_t seed = 20240229ull;
    double* dPart;
    const int nb = 196;
    CHK(cudaMalloc(&dPart, 2 * nb * sizeof(double)));
    simulate<<<nb, 256>>>(mk, paths, steps, seed, dPart);
    CHK(cudaGetLastError());
    std::vector<double> h(2 * nb);
    CHK(cudaMemcpy(h.data(), dPart, h.size() * sizeof(double), cudaMemcpyDeviceToHost));
    double a = 0, b = 0;
    for (int i = 0; i < nb; ++i) { a += h[2 * i]; b += h[2 * i + 1]; }
    double mean = a / paths, var = b / paths - mean * mean;
    printf("asian call %.5f  (std err %.5f)\n", mean, sqrt(var / paths));
    cudaFree(dPart);
    return 0;
}
