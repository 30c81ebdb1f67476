#include <cstdio>
#include <cstdlib>
__global__ void soften(float *x, int n, int rounds) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; ++r) v = v * 0.99f + 0.01f;
    x[i] = v;
}
__global__ void harden(float *y, int n, int rounds) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float v = y[i];
    for (int r = 0; r < rounds; ++r) v = v * 1.01f - 0.01f;
    y[i] = v;
}
int main() {
    const int n = 1024;
    float *hx = (float *)malloc(n * 4), *hy = (float *)malloc(n * 4), *dx, *dy;
    for (int i = 0; i < n; ++i) hx[i] = (i * 37 % 101) / 101.f, hy[i] = (i * 53 % 97) / 97.f;
    cudaMalloc(&dx, n * 4);
    cudaMalloc(&dy, n * 4);
    cudaMemcpy(dx, hx, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy, n * 4, cudaMemcpyHostToDevice);
    soften<<<4, 256>>>(dx, n, 400);
    harden<<<4, 256>>>(dy, n, 400);
    cudaDeviceSynchronize();
    cudaMemcpy(hx, dx, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(hy, dy, n * 4, cudaMemcpyDeviceToHost);
    float s = 0;
    for (int i = 0; i < n; ++i) s += hx[i] - hy[i];
    printf("%.4f\n", s);
}
