// kernel=scale line=7 finding=KO118
#include <cuda_runtime.h>

// adds c
__global__ void scale_and_shift(float *x, float s, int n, float *y, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= s;
        y[i] = x[i] + c;
    }
}

void run(int n)
{
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    scale_and_shift<<<(n + 255) / 256, 256>>>(x, 2.0f, n, y, 1.0f);
}
