/* GROUP BY station: COUNT(*), MAX(temperature) over a day of weather-station readings.
 * Block-private groups in shared memory, native integer atomics, 8-byte vector loads. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <float.h>
#include <vector>

struct __align__(8) Reading { unsigned short station; unsigned short quality; float celsius; };

static void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) { printf("%s failed: %s\n", what, cudaGetErrorString(e)); exit(2); }
}

__global__ void initPeaks(float *peak, int *count, int nst) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < nst) { peak[s] = -FLT_MAX; count[s] = 0; }
}

// IEEE floats order like their bit patterns, so the hardware integer max does the job without a CAS loop
__global__ void groupPeaks(const uint2 *__restrict__ r, int n, unsigned minQuality,
                           float *peak, int *count, int nst) {
    extern __shared__ int sm[];
    int *sPeak = sm, *sCount = sm + nst;
    for (int g = threadIdx.x; g < nst; g += blockDim.x) {
        sPeak[g] = __float_as_int(-FLT_MAX);
        sCount[g] = 0;
    }
    __syncthreads();

    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint2 x = __ldg(&r[i]);
        unsigned station = x.x & 0xffffu, quality = x.x >> 16;
        if (quality >= minQuality) {
            atomicMax(&sPeak[station], (int)x.y);
            atomicAdd(&sCount[station], 1);
        }
    }
    __syncthreads();

    for (int g = threadIdx.x; g < nst; g += blockDim.x) {
        if (sCount[g]) {
            atomicMax((int *)&peak[g], sPeak[g]);
            atomicAdd(&count[g], sCount[g]);
        }
    }
}

int main() {
    const int NST = 500, N = 1 << 20;
    std::vector<Reading> h(N);
    unsigned s = 12345u;
    for (int i = 0; i < N; ++i) {
        s = s * 1664525u + 1013904223u;
        h[i].station = (unsigned short)((s >> 10) % NST);
        s = s * 1664525u + 1013904223u;
        h[i].quality = (unsigned short)((s >> 16) & 15);
        s = s * 1664525u + 1013904223u;
        // -25 .. +15 deg C, a January day; the warmer stations are shifted up a little
        h[i].celsius = -25.0f + 40.0f * (float)(s >> 8) / 16777216.0f + 0.01f * h[i].station;
    }
    Reading *dr; float *dp; int *dc;
    check(cudaMalloc((void **)&dr, N * sizeof(Reading)), "malloc");
    check(cudaMalloc((void **)&dp, NST * sizeof(float)), "malloc");
    check(cudaMalloc((void **)&dc, NST * sizeof(int)), "malloc");
    check(cudaMemcpy(dr, h.data(), N * sizeof(Reading), cudaMemcpyHostToDevice), "h2d");

    initPeaks<<<(NST + 127) / 128, 128>>>(dp, dc, NST);
    groupPeaks<<<264, 512, 2 * NST * sizeof(int)>>>((const uint2 *)dr, N, 4, dp, dc, NST);
    check(cudaGetLastError(), "launch");

    std::vector<float> p(NST); std::vector<int> c(NST);
    check(cudaMemcpy(p.data(), dp, NST * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    check(cudaMemcpy(c.data(), dc, NST * sizeof(int), cudaMemcpyDeviceToHost), "d2h");
    double sp = 0; long sc = 0;
    for (int i = 0; i < NST; ++i) { sp += p[i]; sc += c[i]; }
    printf("stations %d  rows %ld  mean peak %.6f\n", NST, sc, sp / NST);
    for (int i = 0; i < NST; i += 100) printf("  station %3d: n=%d max=%.4f\n", i, c[i], p[i]);
    cudaFree(dr); cudaFree(dp); cudaFree(dc);
    return 0;
}
