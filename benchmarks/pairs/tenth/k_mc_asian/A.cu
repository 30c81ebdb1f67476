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

// standard normal number `step` of path `path`
__device__ double normal(uint64_t seed, uint32_t path, uint32_t step)
{
    uint64_t h = mix64(seed ^ (((uint64_t)path << 32) | step));
    double u1 = ((uint32_t)h + 0.5) * (1.0 / 4294967296.0);
    double u2 = ((uint32_t)(h >> 32) + 0.5) * (1.0 / 4294967296.0);
    return sqrt(-2.0 * log(u1)) * cos(6.283185307179586 * u2);
}

__global__ void simulate(Contract c, uint64_t seed, int npaths, double *sum, double *sum2)
{
    __shared__ double s1[256], s2[256];
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    double pay = 0.0;
    if (path < npaths) {
        double dt = c.expiry / c.fixings;
        double s = c.s0, avg = 0.0;
        for (int k = 0; k < c.fixings; ++k) {
            double z = normal(seed, path, k);
            s *= exp((c.rate - 0.5 * c.vol * c.vol) * dt + c.vol * sqrt(dt) * z);
            avg += s;
        }
        avg /= c.fixings;
        pay = avg > c.strike ? avg - c.strike : 0.0;
        pay *= exp(-c.rate * c.expiry);
    }
    s1[threadIdx.x] = pay;
    s2[threadIdx.x] = pay * pay;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
        if (threadIdx.x < w) {
            s1[threadIdx.x] += s1[threadIdx.x + w];
            s2[threadIdx.x] += s2[threadIdx.x + w];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sum[blockIdx.x] = s1[0];
        sum2[blockIdx.x] = s2[0];
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
