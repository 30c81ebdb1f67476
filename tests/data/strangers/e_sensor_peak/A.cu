/* GROUP BY station: COUNT(*), MAX(temperature) over a day of weather-station readings. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <float.h>
#include <vector>

struct Reading { unsigned short station; unsigned short quality; float celsius; };

static void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) { printf("%s failed: %s\n", what, cudaGetErrorString(e)); exit(2); }
}

__device__ void atomicMaxFloat(float *addr, float v) {
    int *ia = (int *)addr;
    int old = *ia;
    while (__int_as_float(old) < v) {
        int assumed = old;
        old = atomicCAS(ia, assumed, __float_as_int(v));
        if (old == assumed) break;
    }
}

__global__ void initPeaks(float *peak, int *count, int nst) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < nst) { peak[s] = -FLT_MAX; count[s] = 0; }
}

__global__ void groupPeaks(const Reading *r, int n, unsigned short minQuality, float *peak, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Reading x = r[i];
        if (x.quality >= minQuality) {
            atomicMaxFloat(&peak[x.station], x.celsius);
            atomicAdd(&count[x.station], 1);
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
    groupPeaks<<<(N + 255) / 256, 256>>>(dr, N, 4, dp, dc);
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
