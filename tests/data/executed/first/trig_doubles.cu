// Single precision with double literals in it, and sines of large and small arguments.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

__global__ void wave(const float *t, float *y, int n, float freq) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sinf(freq * t[i]) * cosf(t[i]);
}

__global__ void damped(const float *t, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = t[i];
        for (int k = 0; k < 12; k++) v = v * 0.98 + 0.001;
        y[i] = v;
    }
}

__global__ void softplus_rows(const float *x, float *y, int rows, int cols) {
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = x[r * cols + c];
        y[r * cols + c] = v > 20.0f ? v : log1pf(expf(v));
    }
}

int main() {
    const int n = 8192;
    float *h = new float[n], *t, *y;
    for (int i = 0; i < n; i++) h[i] = 0.01f * i;
    cudaMalloc(&t, n * 4); cudaMalloc(&y, n * 4);
    cudaMemcpy(t, h, n * 4, cudaMemcpyHostToDevice);
    wave<<<n / 256, 256>>>(t, y, n, 3.0f);
    wave<<<n / 256, 256>>>(t, y, n, 90000.0f);
    damped<<<n / 256, 256>>>(t, y, n);
    softplus_rows<<<32, 96>>>(t, y, 32, 256);
    cudaMemcpy(h, y, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[77]);
    delete[] h;
    return 0;
}
