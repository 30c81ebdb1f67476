#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define N_THREADS 256

__global__ void sigmoid(float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 1.0f / (1.0f + expf(-x[i]));
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 65536;
    size_t size = (size_t)n * sizeof(float);

    float *h_x = (float *)malloc(size);
    float *h_y = (float *)malloc(size);
    for (int i = 0; i < n; i++)
        h_x[i] = (i % 1000) / 100.0f - 5.0f;

    float *d_x, *d_y;
    cudaMalloc((void **)&d_x, size);
    cudaMalloc((void **)&d_y, size);
    cudaMemcpy(d_x, h_x, size, cudaMemcpyHostToDevice);

    int n_blocks = (n + N_THREADS - 1) / N_THREADS;
    sigmoid<<<n_blocks, N_THREADS>>>(d_x, d_y, n);

    cudaMemcpy(h_y, d_y, size, cudaMemcpyDeviceToHost);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        printf("CUDA error: %s\n", cudaGetErrorString(err));
        return 1;
    }

    double total = 0;
    for (int i = 0; i < n; i++)
        total += h_y[i];
    printf("y[0] = %f, y[n/2] = %f, mean = %f\n", h_y[0], h_y[n / 2], total / n);

    free(h_x);
    free(h_y);
    cudaFree(d_x);
    cudaFree(d_y);
    return 0;
}
