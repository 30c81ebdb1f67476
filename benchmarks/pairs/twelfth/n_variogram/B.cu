// Empirical semivariogram of borehole samples: for all pairs (i<j), bin by lag distance,
// accumulate 0.5*(zi-zj)^2 and pair counts.
#include <cmath>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <vector>

typedef unsigned long long u64;
static const int NBINS = 40;

static void check(cudaError_t err, const char* what)
{
    if (err != cudaSuccess) {
        std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(err));
        std::exit(2);
    }
}

static const int TILE = 128;
static const int COPIES = 4;   // one private histogram per warp

// Private histograms of each warp; pair counts are packed two bins to a word to stay small
// in shared memory (even bin: low half, odd bin: high half).  Points go through shared tiles.
__global__ void __launch_bounds__(TILE)
variogram_kernel(const float* __restrict__ px, const float* __restrict__ py,
                 const float* __restrict__ z, int n,
                 float inv_lag, double* gsum, u64* gcnt)
{
    __shared__ float ssum[COPIES][NBINS];
    __shared__ unsigned int scnt[COPIES][NBINS / 2];
    __shared__ float3 pt[TILE];

    const int w = threadIdx.x >> 5;
    for (int b = threadIdx.x; b < COPIES * NBINS; b += TILE) (&ssum[0][0])[b] = 0.f;
    for (int b = threadIdx.x; b < COPIES * NBINS / 2; b += TILE) (&scnt[0][0])[b] = 0u;

    const int i = blockIdx.x * TILE + threadIdx.x;
    float xi = 0.f, yi = 0.f, zi = 0.f;
    if (i < n) { xi = px[i]; yi = py[i]; zi = z[i]; }

    for (int j0 = blockIdx.x * TILE; j0 < n; j0 += TILE) {
        __syncthreads();
        int jl = j0 + threadIdx.x;
        if (jl < n) pt[threadIdx.x] = make_float3(px[jl], py[jl], z[jl]);
        __syncthreads();
        if (i < n) {
            int lim = min(TILE, n - j0);
            int k = (j0 == (int)blockIdx.x * TILE) ? (int)threadIdx.x + 1 : 0;
            for (; k < lim; ++k) {
                float3 q = pt[k];
                float dx = q.x - xi, dy = q.y - yi;
                int b = (int)(sqrtf(fmaf(dx, dx, dy * dy)) * inv_lag);
                if (b < NBINS) {
                    float d = q.z - zi;
                    atomicAdd(&ssum[w][b], 0.5f * d * d);
                    atomicAdd(&scnt[w][b >> 1], 1u << ((b & 1) * 16));
                }
            }
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NBINS; b += TILE) {
        double s = 0.0;
        unsigned int c = 0;
#pragma unroll
        for (int r = 0; r < COPIES; ++r) {
            s += (double)ssum[r][b];
            c += (scnt[r][b >> 1] >> ((b & 1) * 16)) & 0xffffu;
        }
        if (c) {
            atomicAdd(&gsum[b], s);
            atomicAdd(&gcnt[b], (u64)c);
        }
    }
}

static uint32_t rng_state = 0x1234567u;
static float frand()
{
    rng_state = rng_state * 1664525u + 1013904223u;
    return (float)(rng_state >> 8) * (1.0f / 16777216.0f);
}

int main()
{
    const int n = 1900;
    const float max_lag = 800.0f;
    std::vector<float> x(n), y(n), z(n);
    for (int i = 0; i < n; ++i) {
        x[i] = 1000.f * frand();
        y[i] = 1000.f * frand();
        z[i] = 3.f * std::sin(x[i] * 0.011f) + 2.f * std::cos(y[i] * 0.017f) + 0.8f * (frand() - 0.5f);
    }

    float *dx, *dy, *dz;
    double* dsum;
    u64* dcnt;
    check(cudaMalloc((void**)&dx, n * sizeof(float)), "malloc x");
    check(cudaMalloc((void**)&dy, n * sizeof(float)), "malloc y");
    check(cudaMalloc((void**)&dz, n * sizeof(float)), "malloc z");
    check(cudaMalloc((void**)&dsum, NBINS * sizeof(double)), "malloc sum");
    check(cudaMalloc((void**)&dcnt, NBINS * sizeof(u64)), "malloc cnt");
    check(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice), "H2D");
    check(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice), "H2D");
    check(cudaMemcpy(dz, z.data(), n * sizeof(float), cudaMemcpyHostToDevice), "H2D");
    check(cudaMemset(dsum, 0, NBINS * sizeof(double)), "memset");
    check(cudaMemset(dcnt, 0, NBINS * sizeof(u64)), "memset");

    variogram_kernel<<<(n + TILE - 1) / TILE, TILE>>>(dx, dy, dz, n, NBINS / max_lag, dsum, dcnt);
    check(cudaGetLastError(), "launch");

    std::vector<double> hs(NBINS);
    std::vector<u64> hc(NBINS);
    check(cudaMemcpy(hs.data(), dsum, NBINS * sizeof(double), cudaMemcpyDeviceToHost), "D2H");
    check(cudaMemcpy(hc.data(), dcnt, NBINS * sizeof(u64), cudaMemcpyDeviceToHost), "D2H");
    for (int b = 0; b < NBINS; ++b)
        std::printf("lag %6.1f  pairs %8llu  gamma %.5f\n", (b + 0.5f) * max_lag / NBINS, hc[b],
                    hc[b] ? hs[b] / (double)hc[b] : 0.0);
    cudaFree(dx); cudaFree(dy); cudaFree(dz); cudaFree(dsum); cudaFree(dcnt);
    return 0;
}
