// kernel=scale line=8 finding=KO118
#include <cuda_runtime.h>
#define OUT y[t]

__global__ void scale(float *x, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= s;
}

__global__ void shift(const float *x, float *y, float c, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) OUT = x[t] + c;
}

void run(int n)
{
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(x, 2.0f, n);
    shift<<<(n + 255) / 256, 256>>>(x, y, 1.0f, n);
}
