// kernel=scale line=7 finding=KO118
#include <cuda_runtime.h>

__global__ void scale(float *x, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= s;
}

// adds c
__global__ void shift(const float *x, float *y, float c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n; k += gridDim.x * blockDim.x) y[k] = x[k] + c;
}

void run(int n)
{
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(x, 2.0f, n);
    shift<<<(n + 255) / 256, 256>>>(x, y, 1.0f, n);
}
