// Radial distribution function g(r) of a periodic system: histogram of all pair distances below L/2.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define BINS 96
#define BS 128

inline void cu(cudaError_t e) { if (e != cudaSuccess) { printf("CUDA: %s\n", cudaGetErrorString(e)); exit(1); } }

__device__ inline float wrap(float d, float L) { return d - L * rintf(d / L); }

// blockIdx.x: 128 atoms i, blockIdx.y: slice of the atoms j
__global__ void rdf(const float* x, const float* y, const float* z, int n, float L, int slice, unsigned long long* hist)
{
    __shared__ unsigned int local[BINS];
    for (int b = threadIdx.x; b < BINS; b += BS) local[b] = 0;
    __syncthreads();
    int i = blockIdx.x * BS + threadIdx.x;
    int j0 = blockIdx.y * slice, j1 = min(n, j0 + slice);
    float scale = BINS / (0.5f * L);
    if (i < n) {
        for (int j = max(j0, i + 1); j < j1; j++) {
            float dx = wrap(x[i] - x[j], L), dy = wrap(y[i] - y[j], L), dz = wrap(z[i] - z[j], L);
            int b = (int)(sqrtf(dx * dx + dy * dy + dz * dz) * scale);
            if (b < BINS) atomicAdd(&local[b], 1u);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BS)
        if (local[b]) atomicAdd(&hist[b], (unsigned long long)local[b]);
}

int main()
{
    const int n = 2500;
    const float L = 14.0f;
    std::vector<float> x(n), y(n), z(n);
    unsigned long long s = 88172645463325252ull;
    auto rnd = [&]() { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (float)(s >> 40) / 16777216.0f; };
    for (int i = 0; i < n; i++) {
        if (i % 5 == 0 || i < 10) { x[i] = L * rnd(); y[i] = L * rnd(); z[i] = L * rnd(); }
        else {                                            // some structure: chains
            x[i] = x[i - 1] + 0.9f * (rnd() - 0.5f);
            y[i] = y[i - 1] + 0.9f * (rnd() - 0.5f);
            z[i] = z[i - 1] + 0.9f * (rnd() - 0.5f);
        }
    }
    float *dx, *dy, *dz; unsigned long long* dh;
    cu(cudaMalloc(&dx, n * sizeof(float))); cu(cudaMalloc(&dy, n * sizeof(float))); cu(cudaMalloc(&dz, n * sizeof(float)));
    cu(cudaMalloc(&dh, BINS * sizeof(unsigned long long)));
    cu(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cu(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cu(cudaMemcpy(dz, z.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cu(cudaMemset(dh, 0, BINS * sizeof(unsigned long long)));
    const int slice = 256;
    dim3 grid((n + BS - 1) / BS, (n + slice - 1) / slice);
    rdf<<<grid, BS>>>(dx, dy, dz, n, L, slice, dh);
    cu(cudaGetLastError());
    std::vector<unsigned long long> h(BINS);
    cu(cudaMemcpy(h.data(), dh, BINS * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
    unsigned long long total = 0;
    for (auto v : h) total += v;
    printf("%llu pairs in range\n", total);
    const double dr = 0.5 * L / BINS, rho = n / ((double)L * L * L);
    for (int b = 3; b < BINS; b += 12) {
        double r0 = b * dr, r1 = r0 + dr, shell = 4.0 / 3.0 * 3.14159265358979 * (r1 * r1 * r1 - r0 * r0 * r0);
        printf("g(%.3f) = %.5f  (%llu)\n", r0 + 0.5 * dr, 2.0 * h[b] / (n * rho * shell), h[b]);
    }
    cudaFree(dx); cudaFree(dy); cudaFree(dz); cudaFree(dh);
    return 0;
}
