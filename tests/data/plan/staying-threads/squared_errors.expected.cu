// kernel=squared_errors line=22 finding=KO115 technique=block-shuffles
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define THREADS 128

/* one partial sum of (y - y_hat)^2 per block */
__global__ void squared_errors(const float *y, const float *y_hat, float *partial, int n)
{
    __shared__ float part[THREADS / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    float sum = 0.0f;
    if (i < n) {
        float d = y[i] - y_hat[i];
        if (d < 0)
            d = -d;  // absolute
        sum = d * d;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t == 0 && i < n) {
        for (int warp = 1; warp < THREADS / 32; warp++)
            sum += part[warp];
        partial[blockIdx.x] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) * THREADS : 20 * THREADS;
    int blocks = n / THREADS + 1;
    float *y, *y_hat, *partial;
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&y_hat, n * sizeof(float));
    cudaMallocManaged(&partial, blocks * sizeof(float));
    for (int i = 0; i < n; i++) {
        y[i] = (i * 37 % 101) / 101.0f;
        y_hat[i] = (i * 53 % 97) / 97.0f;
    }
    for (int b = 0; b < blocks; b++)
        partial[b] = -1;
    squared_errors<<<blocks, THREADS>>>(y, y_hat, partial, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int b = 0; b < n / THREADS; b++)
        sum += partial[b];
    printf("mse %.6f, then %.0f\n", sum / n, partial[n / THREADS]);
    return 0;
}
