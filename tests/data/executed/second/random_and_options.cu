// Monte Carlo with an in-line generator, option prices, and a random walk that ends early.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

__device__ inline unsigned step(unsigned &s) {
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return s;
}
__device__ inline float uniform(unsigned &s) { return step(s) * 2.3283064e-10f; }

__global__ void pi_hits(unsigned *hits, int tries) {
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    unsigned in = 0;
    for (int t = 0; t < tries; t++) {
        float x = uniform(s), y = uniform(s);
        if (x * x + y * y <= 1.0f) in++;
    }
    for (int o = 16; o; o >>= 1) in += __shfl_xor_sync(~0u, in, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(hits, in);
}

__device__ float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = 0.39894228f * expf(-0.5f * d * d) * k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + 1.330274429f * k))));
    if (d > 0) p = 1.0f - p;
    return p;
}

__global__ void black_scholes(float *call, float *put, const float *S, const float *X, const float *T, float r, float v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float root = sqrtf(T[i]);
        float d1 = (logf(S[i] / X[i]) + (r + 0.5f * v * v) * T[i]) / (v * root);
        float d2 = d1 - v * root;
        float n1 = cnd(d1), n2 = cnd(d2), e = expf(-r * T[i]);
        call[i] = S[i] * n1 - X[i] * e * n2;
        put[i] = X[i] * e * (1.0f - n2) - S[i] * (1.0f - n1);
    }
}

__global__ void walk_until(int *steps, int most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = i * 7919u + 13;
    int pos = 0, k;
    for (k = 0; k < most; ++k) {
        if (step(s) & 1) pos++;
        else pos--;
        if (pos > 6 || pos < -6) break;
    }
    steps[i] = k;
}

int main() {
    const int n = 5000;
    float *h = new float[3 * n];
    for (int i = 0; i < n; i++) { h[i] = 5 + (i * 37 % 251) / 10.f; h[n + i] = 1 + (i * 53 % 991) / 10.f; h[2 * n + i] = 0.25f + (i * 71 % 97) / 10.f; }
    unsigned *hits; float *in, *call, *put; int *steps;
    cudaMalloc(&hits, 4); cudaMalloc(&in, 3 * n * 4); cudaMalloc(&call, n * 4); cudaMalloc(&put, n * 4); cudaMalloc(&steps, n * 4);
    cudaMemset(hits, 0, 4); cudaMemcpy(in, h, 3 * n * 4, cudaMemcpyHostToDevice);
    pi_hits<<<12, 128>>>(hits, 150);
    black_scholes<<<10, 128>>>(call, put, in, in + n, in + 2 * n, 0.02f, 0.3f, n);
    walk_until<<<(n + 127) / 128, 128>>>(steps, 400, n);
    cudaMemcpy(h, call, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[4]);
    delete[] h;
    return 0;
}
