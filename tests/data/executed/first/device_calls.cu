// Device functions that stay functions, and ones that are inlined twice.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ float horner(float x, int n) {
    float r = 1.0f;
    for (int i = n; i > 0; --i)
        r = r * x / (float)i + 1.0f;
    return r;
}

__device__ float blend(float a, float b, float t) { return a + (b - a) * t; }

__device__ __noinline__ int collatz(unsigned n) {
    int steps = 0;
    while (n != 1) {
        n = (n & 1) ? 3 * n + 1 : n >> 1;
        steps++;
    }
    return steps;
}

__global__ void exp_series(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    if (v > 0.5f)
        y[i] = horner(v, 9);
    else
        y[i] = blend(v, horner(1.0f - v, 5), 0.25f);
}

__global__ void collatz_lengths(int *len, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) len[i] = collatz(i + 1);
}

__global__ void double_ratio(const double *a, const double *b, double *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] / b[i] + sqrt(a[i]);
}

int main() {
    const int n = 6000;
    float *x, *y; int *l; double *d;
    float *h = new float[n];
    double *hd = new double[2 * n];
    for (int i = 0; i < n; i++) h[i] = (float)((i * 31) % 997) / 997.0f;
    for (int i = 0; i < 2 * n; i++) hd[i] = 1.0 + (i * 17 % 1009) / 7.0;
    cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); cudaMalloc(&l, n * 4); cudaMalloc(&d, 3 * n * 8);
    cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d, hd, 2 * n * 8, cudaMemcpyHostToDevice);
    exp_series<<<(n + 127) / 128, 128>>>(x, y, n);
    collatz_lengths<<<(n + 127) / 128, 128>>>(l, n);
    double_ratio<<<(n + 255) / 256, 256>>>(d, d + n, d + 2 * n, n);
    cudaMemcpy(h, y, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[10]);
    delete[] h; delete[] hd;
    return 0;
}
