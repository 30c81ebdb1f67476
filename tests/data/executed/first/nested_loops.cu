// Three ways to sum over a window, and a polynomial of each row.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define N 512
#define TAPS 16

__global__ void fir(const float *x, const float *h, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - TAPS) return;
    float acc = 0.0f;
    for (int t = 0; t < TAPS; t++) acc += h[t] * x[i + t];
    y[i] = acc;
}

__global__ void row_polynomials(const float *a, float *out, int rows, int cols, int degree) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float total = 0.0f;
        for (int c = 0; c < cols; c++) {
            float v = a[r * cols + c], p = 1.0f;
            for (int d = 0; d < degree; d++) {
                p = p * v + 0.5f;
            }
            total += p;
        }
        out[r] = total;
    }
}

__global__ void triangular(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.f;
    for (int j = 0; j <= i; ++j)
        for (int k = 0; k < 4; ++k)
            s += a[i * n + j] * (float)(k + 1);
    out[i] = s;
}

int main() {
    std::vector<float> h(N * N);
    for (int i = 0; i < N * N; i++) h[i] = (float)((i * 37) % 101) / 101.0f;
    float *a, *o;
    cudaMalloc(&a, N * N * sizeof(float));
    cudaMalloc(&o, N * N * sizeof(float));
    cudaMemcpy(a, h.data(), N * N * sizeof(float), cudaMemcpyHostToDevice);
    fir<<<(N * 8 + 127) / 128, 128>>>(a, a + 1000, o, N * 8);
    row_polynomials<<<N / 64, 64>>>(a, o, N, 33, 11);
    triangular<<<2, 128>>>(a, o, 200);
    cudaMemcpy(h.data(), o, N * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3]);
    return 0;
}
