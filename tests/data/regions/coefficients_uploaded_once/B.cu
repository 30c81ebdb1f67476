#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TAPS 4096
__global__ void fir(const float *x, const float *c, float *y, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < 16; k++) s += c[(first + k) % TAPS] * x[(i + k) % n];
    y[i] = s;
}

int main(void)
{
    const int n = 100000, frames = 8;
    float *hx = (float *)malloc(n * 4), *hc = (float *)malloc(TAPS * 256 * 4), *hy = (float *)malloc(n * 4);
    for (int i = 0; i < n; i++) hx[i] = sinf(i * 0.01f);
    for (int i = 0; i < TAPS * 256; i++) hc[i] = cosf(i * 0.001f) / 16;
    float *x, *c, *y;
    cudaMalloc(&x, n * 4); cudaMalloc(&c, TAPS * 256 * 4); cudaMalloc(&y, n * 4);
    cudaMemcpy(x, hx, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(c, hc, TAPS * 256 * 4, cudaMemcpyHostToDevice);
    for (int f = 0; f < frames; f++) {
        fir<<<(n + 127) / 128, 128>>>(x, c, y, n, 16 * f);
        float *t = x; x = y; y = t;
    }
    cudaMemcpy(hy, x, n * 4, cudaMemcpyDeviceToHost);
    printf("y[0]=%g y[n-1]=%g\n", hy[0], hy[n - 1]);
    return 0;
}
