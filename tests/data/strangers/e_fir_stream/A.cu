// Mono FIR low-pass (windowed sinc) over a long recording, then per-second RMS on the host.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TAPS 96

#define CHECK(expr)                                                              \
    do {                                                                         \
        cudaError_t err__ = (expr);                                              \
        if (err__ != cudaSuccess) {                                              \
            printf("CUDA: %s at line %d\n", cudaGetErrorString(err__), __LINE__); \
            exit(EXIT_FAILURE);                                                  \
        }                                                                        \
    } while (0)

__constant__ float c_taps[TAPS];

// y[i] = sum_k taps[k] * x[i-k], with x[<0] = 0
__global__ void fir(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.0f;
    for (int k = 0; k < TAPS; ++k)
        if (i - k >= 0) acc += c_taps[k] * x[i - k];
    y[i] = acc;
}

static void designLowpass(float *h, double cutoff)
{
    double sum = 0;
    for (int k = 0; k < TAPS; ++k) {
        double t = k - 0.5 * (TAPS - 1);
        double s = t == 0 ? 2 * cutoff : sin(2 * M_PI * cutoff * t) / (M_PI * t);
        double w = 0.54 - 0.46 * cos(2 * M_PI * k / (TAPS - 1));
        h[k] = (float)(s * w);
        sum += s * w;
    }
    for (int k = 0; k < TAPS; ++k) h[k] = (float)(h[k] / sum);
}

int main()
{
    const int rate = 48000, n = 1 << 19;
    float taps[TAPS];
    designLowpass(taps, 3000.0 / rate);
    CHECK(cudaMemcpyToSymbol(c_taps, taps, sizeof(taps)));

    float *hx = (float *)malloc(n * sizeof(float));
    float *hy = (float *)malloc(n * sizeof(float));
    unsigned seed = 99;
    for (int i = 0; i < n; ++i) {
        seed = seed * 1103515245u + 12345u;
        float noise = ((seed >> 9) & 0xffff) / 65536.0f - 0.5f;
        hx[i] = 0.6f * sinf(i * 0.0575959f) + 0.2f * noise;
    }

    float *dx, *dy;
    CHECK(cudaMalloc(&dx, n * sizeof(float)));
    CHECK(cudaMalloc(&dy, n * sizeof(float)));
    CHECK(cudaMemcpy(dx, hx, n * sizeof(float), cudaMemcpyHostToDevice));
    fir<<<(n + 255) / 256, 256>>>(dx, dy, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(hy, dy, n * sizeof(float), cudaMemcpyDeviceToHost));

    for (int s = 0; s * rate < n; ++s) {
        double e = 0; int m = 0;
        for (int i = s * rate; i < n && i < (s + 1) * rate; ++i, ++m) e += (double)hy[i] * hy[i];
        printf("second %2d rms %.6f\n", s, sqrt(e / m));
    }
    cudaFree(dx); cudaFree(dy);
    free(hx); free(hy);
    return 0;
}
