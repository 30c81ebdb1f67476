// Radial distribution function g(r) of a periodic system: histogram of all pair distances below L/2.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define BINS 96
#define BS 128

inline void cu(cudaError_t e) { if (e != cudaSuccess) { printf("CUDA: %s\n", cudaGetErrorString(e)); exit(1); } }

#define COPIES 4
#define WORDS (BINS / 2)

// A block handles 128 atoms i against all later atoms j, so the histogram is flushed once per block.
// Every warp has a private copy; two neighbouring bins share a 32-bit word, which halves
// the shared memory and the flush traffic.
__global__ void __launch_bounds__(BS)
rdf(const float4* __restrict__ pos, int n, float L, unsigned long long* __restrict__ hist)
{
    __shared__ unsigned int local[COPIES][WORDS + 1];
    __shared__ float4 tile[BS];
    for (int k = threadIdx.x; k < COPIES * (WORDS + 1); k += BS) (&local[0][0])[k] = 0;
    const int i = blockIdx.x * BS + threadIdx.x;
    const float scale = BINS / (0.5f * L), invL = 1.0f / L;
    const float4 me = pos[min(i, n - 1)];
    unsigned int* mine = local[threadIdx.x >> 5];
    for (int base = blockIdx.x * BS; base < n; base += BS) {
        __syncthreads();
        if (base + (int)threadIdx.x < n) tile[threadIdx.x] = pos[base + threadIdx.x];
        __syncthreads();
        const int m = min(BS, n - base);
        for (int k = 0; k < m; k++) {
            if (base + k <= i) continue;
            float4 o = tile[k];
            float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
            dx -= L * rintf(dx * invL); dy -= L * rintf(dy * invL); dz -= L * rintf(dz * invL);
            int b = (int)(sqrtf(dx * dx + dy * dy + dz * dz) * scale);
            if (b < BINS) atomicAdd(&mine[b >> 1], 1u << ((b & 1) * 16));
        }
    }
    __syncthreads();
    for (int w = threadIdx.x; w < WORDS; w += BS) {
        unsigned long long lo = 0, hi = 0;
#pragma unroll
        for (int c = 0; c < COPIES; c++) { unsigned v = local[c][w]; lo += v & 0xffffu; hi += v >> 16; }
        if (lo) atomicAdd(&hist[2 * w], lo);
        if (hi) atomicAdd(&hist[2 * w + 1], hi);
    }
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
    std::vector<float4> p(n);
    for (int i = 0; i < n; i++) p[i] = make_float4(x[i], y[i], z[i], 0.0f);
    float4* dp; unsigned long long* dh;
    cu(cudaMalloc(&dp, n * sizeof(float4)));
    cu(cudaMalloc(&dh, BINS * sizeof(unsigned long long)));
    cu(cudaMemcpy(dp, p.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    cu(cudaMemset(dh, 0, BINS * sizeof(unsigned long long)));
    rdf<<<(n + BS - 1) / BS, BS>>>(dp, n, L, dh);
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
    cudaFree(dp); cudaFree(dh);
    return 0;
}
