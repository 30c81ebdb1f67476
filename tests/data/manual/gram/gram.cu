// Gram matrix of n vectors of length d: G = X X^T (kernel methods, style transfer).
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void gram(const float *X, float *G, int n, int d)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        G[i * n + j] = 0;
        for (int k = 0; k < d; k++)
            G[i * n + j] += X[i * d + k] * X[j * d + k];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 160;
    int d = argc > 2 ? atoi(argv[2]) : 96;
    float *X = (float *)malloc(sizeof(float) * n * d);
    float *G = (float *)malloc(sizeof(float) * n * n);
    for (int i = 0; i < n * d; i++)
        X[i] = (i % 17) * 0.25f - (i % 5);
    float *dX, *dG;
    cudaMalloc((void **)&dX, sizeof(float) * n * d);
    cudaMalloc((void **)&dG, sizeof(float) * n * n);
    cudaMemcpy(dX, X, sizeof(float) * n * d, cudaMemcpyHostToDevice);
    dim3 threads(16, 16);
    dim3 blocks((n + 15) / 16, (n + 15) / 16);
    gram<<<blocks, threads>>>(dX, dG, n, d);
    cudaMemcpy(G, dG, sizeof(float) * n * n, cudaMemcpyDeviceToHost);
    double trace = 0;
    for (int i = 0; i < n; i++) trace += G[i * n + i];
    printf("trace %g\n", trace);
    cudaFree(dX);
    cudaFree(dG);
    free(X);
    free(G);
    return 0;
}
