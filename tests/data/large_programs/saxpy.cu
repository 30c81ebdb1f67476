// y = a x + y, n from the command line
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
    int N = argc > 1 ? atoi(argv[1]) : 1 << 24;
    float *hx = (float *)malloc(N * sizeof(float)), *hy = (float *)malloc(N * sizeof(float));
    for (int i = 0; i < N; i++) { hx[i] = (i % 1000) * 0.5f - 100; hy[i] = (i % 77) + 1.0f; }
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float)); cudaMalloc(&y, N * sizeof(float));
    cudaMemcpy(x, hx, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy, N * sizeof(float), cudaMemcpyHostToDevice);
    int threads = 128;
    saxpy<<<(N + threads - 1) / threads, threads>>>(N, 2.5f, x, y);
    cudaMemcpy(hy, y, N * sizeof(float), cudaMemcpyDeviceToHost);
    double err = 0;
    for (int i = 0; i < N; i++) { double e = hy[i] - (2.5 * hx[i] + (i % 77) + 1.0); if (e < 0) e = -e; if (e > err) err = e; }
    printf("max error %g\n", err);
    return err > 1e-3;
}
