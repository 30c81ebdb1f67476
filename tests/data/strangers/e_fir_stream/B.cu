// Mono FIR low-pass (windowed sinc) over a long recording, then per-second RMS on the host.
// Pipelined version: the recording is cut in chunks; upload, filter and download of different
// chunks overlap on four streams. Samples are staged in shared memory (one read per sample).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TAPS 96
#define BLOCK 256
#define NSTREAM 4
#define CHUNK (1 << 16)

#define CHECK(expr)                                                              \
    do {                                                                         \
        cudaError_t err__ = (expr);                                              \
        if (err__ != cudaSuccess) {                                              \
            printf("CUDA: %s at line %d\n", cudaGetErrorString(err__), __LINE__); \
            exit(EXIT_FAILURE);                                                  \
        }                                                                        \
    } while (0)

__constant__ float c_taps[TAPS];

// filters samples [first, last) of the recording
__global__ void __launch_bounds__(BLOCK)
fir(const float *__restrict__ x, float *__restrict__ y, int first, int last)
{
    __shared__ float s[BLOCK + TAPS - 1];
    const int base = first + blockIdx.x * BLOCK;
    for (int j = threadIdx.x; j < BLOCK + TAPS - 1; j += BLOCK) {
        int g = base - (TAPS - 1) + j;
        s[j] = (g >= 0 && g < last) ? x[g] : 0.0f;
    }
    __syncthreads();
    const int i = base + threadIdx.x;
    if (i >= last) return;
    float acc = 0.0f;
#pragma unroll 16
    for (int k = 0; k < TAPS; ++k)
        acc += c_taps[k] * s[threadIdx.x + TAPS - 1 - k];
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

    float *hx, *hy;
    CHECK(cudaMallocHost(&hx, n * sizeof(float)));
    CHECK(cudaMallocHost(&hy, n * sizeof(float)));
    unsigned seed = 99;
    for (int i = 0; i < n; ++i) {
        seed = seed * 1103515245u + 12345u;
        float noise = ((seed >> 9) & 0xffff) / 65536.0f - 0.5f;
        hx[i] = 0.6f * sinf(i * 0.0575959f) + 0.2f * noise;
    }

    float *dx, *dy;
    CHECK(cudaMalloc(&dx, n * sizeof(float)));
    CHECK(cudaMalloc(&dy, n * sizeof(float)));
    cudaStream_t st[NSTREAM];
    for (int s = 0; s < NSTREAM; ++s) CHECK(cudaStreamCreateWithFlags(&st[s], cudaStreamNonBlocking));

    for (int c = 0, first = 0; first < n; ++c, first += CHUNK) {
        cudaStream_t q = st[c % NSTREAM];
        const int last = first + CHUNK < n ? first + CHUNK : n;
        const size_t bytes = (size_t)(last - first) * sizeof(float);
        CHECK(cudaMemcpyAsync(dx + first, hx + first, bytes, cudaMemcpyHostToDevice, q));
        fir<<<(last - first + BLOCK - 1) / BLOCK, BLOCK, 0, q>>>(dx, dy, first, last);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(hy + first, dy + first, bytes, cudaMemcpyDeviceToHost, q));
    }
    for (int s = 0; s < NSTREAM; ++s) CHECK(cudaStreamSynchronize(st[s]));

    for (int s = 0; s * rate < n; ++s) {
        double e = 0; int m = 0;
        for (int i = s * rate; i < n && i < (s + 1) * rate; ++i, ++m) e += (double)hy[i] * hy[i];
        printf("second %2d rms %.6f\n", s, sqrt(e / m));
    }
    for (int s = 0; s < NSTREAM; ++s) cudaStreamDestroy(st[s]);
    cudaFree(dx); cudaFree(dy);
    cudaFreeHost(hx); cudaFreeHost(hy);
    return 0;
}
