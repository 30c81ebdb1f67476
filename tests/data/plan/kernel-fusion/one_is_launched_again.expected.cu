// kernel=halve line=7 finding=KO118
#include <cuda_runtime.h>

__global__ void square(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= x[i];
}

__global__ void halve_and_square(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 0.5f;
        x[i] *= x[i];
    }
}

void run(int n)
{
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    square<<<(n + 255) / 256, 256>>>(y, n);
    cudaDeviceSynchronize();
    halve_and_square<<<(n + 255) / 256, 256>>>(x, n);
}
