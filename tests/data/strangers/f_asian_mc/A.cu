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

__global__ void simulate(Market mk, int paths, int steps, uint64_t seed, float* payoff)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    uint64_t counter = (uint64_t)p * steps;
    float logS = 0.0f, sum = 0.0f;
    for (int s = 0; s < steps; ++s) {
        logS += mk.drift + mk.vol * gauss(seed, counter + s);
        sum += mk.s0 * expf(logS);
    }
    payoff[p] = mk.discount * fmaxf(sum / steps - mk.strike, 0.0f);
}

__global__ void moments(const float* payoff, int n, double* partial)
{
    __shared__ double s1[256], s2[256];
    double a = 0, b = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) { double v = payoff[i]; a += v; b += v * v; }
    s1[threadIdx.x] = a; s2[threadIdx.x] = b;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (threadIdx.x < k) { s1[threadIdx.x] += s1[threadIdx.x + k]; s2[threadIdx.x] += s2[threadIdx.x + k]; }
        __syncthreads();
    }
    if (threadIdx.x == 0) { partial[2 * blockIdx.x] = s1[0]; partial[2 * blockIdx.x + 1] = s2[0]; }
}

int main()
{
    const int paths = 100000, steps = 48;
    const float T = 1.0f, r = 0.03f, sigma = 0.27f, dt = T / steps;
    Market mk = { 100.0f, 103.0f, (r - 0.5f * sigma * sigma) * dt, sigma * sqrtf(dt), expf(-r * T) };
    const uint64_t seed = 20240229ull;
    float* dPay; double* dPart;
    const int nb = 64;
    CHK(cudaMalloc(&dPay, paths * sizeof(float)));
    CHK(cudaMalloc(&dPart, 2 * nb * sizeof(double)));
    simulate<<<(paths + 127) / 128, 128>>>(mk, paths, steps, seed, dPay);
    moments<<<nb, 256>>>(dPay, paths, dPart);
    CHK(cudaGetLastError());
    std::vector<double> h(2 * nb);
    CHK(cudaMemcpy(h.data(), dPart, h.size() * sizeof(double), cudaMemcpyDeviceToHost));
    double a = 0, b = 0;
    for (int i = 0; i < nb; ++i) { a += h[2 * i]; b += h[2 * i + 1]; }
    double mean = a / paths, var = b / paths - mean * mean;
    printf("asian call %.5f  (std err %.5f)\n", mean, sqrt(var / paths));
    cudaFree(dPay); cudaFree(dPart);
    return 0;
}
