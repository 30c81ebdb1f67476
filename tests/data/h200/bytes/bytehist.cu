/* Histograms of bytes and what one does with them. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define GPU(x) if ((x) != cudaSuccess) { fprintf(stderr, "fail at %d\n", __LINE__); exit(1); }

// classic: 256 counters in shared memory, the thread reads its bytes with a grid stride
__global__ void hist256(const unsigned char *__restrict__ data, unsigned *hist, int n)
{
    __shared__ unsigned bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned v = data[i];
        atomicAdd(&bins[v], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&hist[b], bins[b]);
}

// private byte counters, 64 threads, each has 16 bins, at most 255 items per thread
__global__ void hist16_private(const unsigned char *data, unsigned *hist, int n)
{
    __shared__ unsigned char priv[16 * 64];
    for (int b = 0; b < 16; ++b)
        priv[b * 64 + threadIdx.x] = 0;
    int first = (blockIdx.x * 64 + threadIdx.x) * 100;
    for (int k = 0; k < 100; ++k) {
        if (first + k >= n) break;
        unsigned v = data[first + k];
        priv[(v >> 4) * 64 + threadIdx.x]++;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int t = 0; t < 64; ++t)
            sum += priv[threadIdx.x * 64 + t];
        atomicAdd(hist + threadIdx.x, sum);
    }
}

// four 8-bit counters in a word: how often does value v occur in line r (short lines)
__global__ void packed_counters(const unsigned char *data, unsigned *words, int lines, int len)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines * len) return;
    int r = i / len;
    unsigned v = data[i] & 31;
    atomicAdd(&words[r * 8 + (v >> 2)], 1u << (8 * (v & 3)));
}

__global__ void remap(unsigned char *data, const unsigned char *__restrict__ lut, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char v = data[i];
    unsigned char e = lut[v];
    data[i] = e;
}

int main()
{
    const int n = 262144 + 77, lines = 1500, len = 150;
    unsigned char *h = (unsigned char *)malloc(n);
    unsigned seed = 31;
    for (int i = 0; i < n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        h[i] = (unsigned char)(((seed >> 24) * (seed >> 16 & 255)) >> 8);
    }
    unsigned char *data, *lut;
    unsigned *hist, *h16, *words;
    GPU(cudaMalloc(&data, n));
    GPU(cudaMalloc(&lut, 256));
    GPU(cudaMalloc(&hist, 256 * 4));
    GPU(cudaMalloc(&h16, 16 * 4));
    GPU(cudaMalloc(&words, lines * 8 * 4));
    GPU(cudaMemcpy(data, h, n, cudaMemcpyHostToDevice));
    GPU(cudaMemset(hist, 0, 256 * 4));
    GPU(cudaMemset(h16, 0, 16 * 4));
    GPU(cudaMemset(words, 0, lines * 8 * 4));

    hist256<<<96, 192>>>(data, hist, n);
    hist16_private<<<(n + 6399) / 6400, 64>>>(data, h16, n);
    packed_counters<<<(lines * len + 255) / 256, 256>>>(data + 3, words, lines, len);

    unsigned hh[256], hw[16];
    unsigned char hl[256];
    GPU(cudaMemcpy(hh, hist, sizeof hh, cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(hw, h16, sizeof hw, cudaMemcpyDeviceToHost));
    unsigned long long cum = 0;
    for (int i = 0; i < 256; ++i) {
        cum += hh[i];
        hl[i] = (unsigned char)(cum * 255 / n);
    }
    GPU(cudaMemcpy(lut, hl, 256, cudaMemcpyHostToDevice));
    remap<<<(n + 255) / 256, 256>>>(data, lut, n);
    GPU(cudaDeviceSynchronize());
    GPU(cudaMemcpy(h, data, n, cudaMemcpyDeviceToHost));
    unsigned *pw = (unsigned *)malloc(lines * 32);
    GPU(cudaMemcpy(pw, words, lines * 32, cudaMemcpyDeviceToHost));

    unsigned long long s = 0;
    for (int i = 0; i < n; ++i) s = s * 7 + h[i];
    for (int i = 0; i < 16; ++i) s = s * 7 + hw[i];
    for (int i = 0; i < lines * 8; ++i) s = s * 7 + pw[i];
    printf("hist checksum %llu\n", s);
    return 0;
}
