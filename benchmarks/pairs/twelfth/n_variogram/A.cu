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

__global__ void variogram_kernel(const float* px, const float* py, const float* z, int n,
                                 float inv_lag, double* gsum, u64* gcnt)
{
    __shared__ float ssum[NBINS];
    __shared__ unsigned int scnt[NBINS];
    for (int b = threadIdx.x; b < NBINS; b += blockDim.x) {
        ssum[b] = 0.f;
        scnt[b] = 0;
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float xi = px[i], yi = py[i], zi = z[i];
        for (int j = i + 1; j < n; ++j) {
            float dx = px[j] - xi, dy = py[j] - yi;
            int b = (int)(sqrtf(fmaf(dx, dx, dy * dy)) * inv_lag);
            if (b < NBINS) {
                float d = z[j] - zi;
                atomicAdd(&ssum[b], 0.5f * d * d);
                atomicAdd(&scnt[b], 1u);
            }
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NBINS; b += blockDim.x) {
        if (scnt[b]) {
            atomicAdd(&gsum[b], (double)ssum[b]);
            atomicAdd(&gcnt[b], (u64)scnt[b]);
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

    const int threads = 128;
    variogram_kernel<<<(n + threads - 1) / threads, threads>>>(dx, dy, dz, n, NBINS / max_lag, dsum, dcnt);
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
