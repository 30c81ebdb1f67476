// kernel=fill line=6 finding=KO118
#include <cuda_runtime.h>

__global__ void fill(double* out, double from, double step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = from + i * step;
}

__global__ void apply(const double* in, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sin(in[i]);
}

__global__ void difference(const double* in, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) out[i] = in[i + 1] - in[i];
}

void run(int n) {
    double *x, *y, *d;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    cudaMalloc(&d, n * sizeof(double));
    int blocks = (n + 255) / 256;
    fill<<<blocks, 256>>>(x, 0.0, 0.1, n);
    apply<<<blocks, 256>>>(x, y, n);
    difference<<<blocks, 256>>>(y, d, n);
}
