// kernel=bin_latencies line=12 finding=KO110
#include <stdio.h>
#define BINS 64

static __device__ int bin_of(float ms, float lo, float inv) { int b = (int)((ms - lo) * inv); return b < 0 ? 0 : (b >= BINS ? BINS - 1 : b); }

__global__ void bin_latencies(const float *ms, unsigned *bins, float *sums, float lo, float inv, int n)
{
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        float v = ms[k];
        int b = bin_of(v, lo, inv);
        atomicAdd(bins + b, 1u);
        atomicAdd(&sums[b], v);
    }
}

int main() {
    const int n = 20001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = 1.0f + (i * 3 % 977) / 10.0f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    unsigned *b, hb[BINS];
    float *s, hs[BINS];
    cudaMalloc(&b, BINS * sizeof(unsigned));
    cudaMalloc(&s, sizeof(float) * BINS);
    cudaMemset(b, 0, sizeof(hb));
    cudaMemset(s, 0, sizeof(hs));
    bin_latencies<<<10, 256>>>(in, b, s, 1.0f, 0.7f, n);
    cudaMemcpy(hb, b, sizeof(hb), cudaMemcpyDeviceToHost);
    cudaMemcpy(hs, s, sizeof(hs), cudaMemcpyDeviceToHost);
    for (int i = 0; i < BINS; i += 9) printf("%u %.1f ", hb[i], hs[i]);
    return 0;
}
