// Arithmetic Asian call, Monte Carlo, counter-based normals (one 64-bit hash per draw).
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(x) if (cudaError_t err = (x)) { printf("CUDA error %s line %d\n", cudaGetErrorString(err), __LINE__); return 1; }

struct Contract {
    double s0, strike, rate, vol, expiry;
    int    fixings;
};

__host__ __device__ inline uint64_t mix64(uint64_t z)
{
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

// two uniforms out of one hash, Box-Muller
__device__ __forceinline__ double normal(uint64_t ctr)
{
    uint64_t h = mix64(ctr);
    double u1 = ((uint32_t)h + 0.5) * (1.0 / 4294967296.0);
    double u2 = ((uint32_t)(h >> 32) + 0.5) * (1.0 / 4294967296.0);
    return sqrt(-2.0 * log(u1)) * cospi(2.0 * u2);
}

__device__ __forceinline__ double warp_sum(double v)
{
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

__global__ void __launch_bounds__(256) simulate(Contract c, uint64_t seed, int npaths,
                                                double *__restrict__ sum, double *__restrict__ sum2)
{
    __shared__ double s1[8], s2[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    double pay = 0.0;
    if (path < npaths) {
        const double dt = c.expiry / c.fixings;
        const double drift = (c.rate - 0.5 * c.vol * c.vol) * dt;
        const double sig = c.vol * sqrt(dt);
        double logret = 0.0, avg = 0.0;
        uint64_t ctr = (seed << 32) + (uint64_t)path;   // own counter of this path
        for (int k = 0; k < c.fixings; ++k) {
            logret += drift + sig * normal(ctr++);
            avg += exp(logret);
        }
        avg *= c.s0 / c.fixings;
        pay = fmax(avg - c.strike, 0.0) * exp(-c.rate * c.expiry);
    }
    double a = warp_sum(pay), b = warp_sum(pay * pay);
    if (lane == 0) { s1[warp] = a; s2[warp] = b; }
    __syncthreads();
    if (threadIdx.x == 0) {
        double x = 0.0, y = 0.0;
        for (int w = 0; w < 8; ++w) { x += s1[w]; y += s2[w]; }
        sum[blockIdx.x] = x;
        sum2[blockIdx.x] = y;
    }
}

int main()
{
    const Contract book[] = {
        {100.0, 100.0, 0.03, 0.20, 1.0, 12},
        {100.0, 110.0, 0.03, 0.35, 1.0, 24},
        { 50.0,  45.0, 0.01, 0.60, 0.5, 26},
    };
    const int npaths = 60000, tpb = 256, blocks = (npaths + tpb - 1) / tpb;

    double *dsum, *dsum2;
    CUDA_OK(cudaMalloc(&dsum, blocks * sizeof(double)));
    CUDA_OK(cudaMalloc(&dsum2, blocks * sizeof(double)));
    std::vector<double> hs(blocks), hs2(blocks);

    int id = 0;
    for (const Contract &c : book) {
        simulate<<<blocks, tpb>>>(c, 777u + id, npaths, dsum, dsum2);
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaMemcpy(hs.data(), dsum, blocks * sizeof(double), cudaMemcpyDeviceToHost));
        CUDA_OK(cudaMemcpy(hs2.data(), dsum2, blocks * sizeof(double), cudaMemcpyDeviceToHost));
        double a = 0, b = 0;
        for (int i = 0; i < blocks; ++i) { a += hs[i]; b += hs2[i]; }
        double mean = a / npaths;
        double se = sqrt((b / npaths - mean * mean) / npaths);
        printf("contract %d: price %.6f +- %.6f\n", id, mean, se);
        ++id;
    }
    cudaFree(dsum);
    cudaFree(dsum2);
    return 0;
}
