#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define DIM_THREAD 256

/* y = A^T (A x) */

static void gpu(cudaError_t e) { if (e != cudaSuccess) { puts(cudaGetErrorString(e)); exit(1); } }

__global__ void ax(int m, int n, float *A, float *x, float *tmp)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        tmp[row] = 0;
        for (int col = 0; col < n; col++)
            tmp[row] += A[row * n + col] * x[col];
    }
}

__global__ void aty(int m, int n, float *A, float *tmp, float *y)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < n) {
        y[col] = 0;
        for (int row = 0; row < m; row++)
            y[col] += A[row * n + col] * tmp[row];
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 120;
    int n = argc > 2 ? atoi(argv[2]) : 100;
    float *A = (float *)malloc(sizeof(float) * m * n);
    float *x = (float *)malloc(sizeof(float) * n);
    float *y = (float *)malloc(sizeof(float) * n);
    for (int j = 0; j < n; j++)
        x[j] = 1.0f + (float)j / n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = (float)((i + j) % n) / (5 * m);

    float *dA, *dx, *dy, *dtmp;
    gpu(cudaMalloc(&dA, sizeof(float) * m * n));
    gpu(cudaMalloc(&dx, sizeof(float) * n));
    gpu(cudaMalloc(&dy, sizeof(float) * n));
    gpu(cudaMalloc(&dtmp, sizeof(float) * m));
    gpu(cudaMemcpy(dA, A, sizeof(float) * m * n, cudaMemcpyHostToDevice));
    gpu(cudaMemcpy(dx, x, sizeof(float) * n, cudaMemcpyHostToDevice));

    ax<<<(m + DIM_THREAD - 1) / DIM_THREAD, DIM_THREAD>>>(m, n, dA, dx, dtmp);
    aty<<<(n + DIM_THREAD - 1) / DIM_THREAD, DIM_THREAD>>>(m, n, dA, dtmp, dy);
    gpu(cudaGetLastError());
    gpu(cudaDeviceSynchronize());
    gpu(cudaMemcpy(y, dy, sizeof(float) * n, cudaMemcpyDeviceToHost));

    double s = 0;
    for (int j = 0; j < n; j++)
        s += y[j];
    printf("y[0]=%g y[%d]=%g sum=%g\n", y[0], n - 1, y[n - 1], s);

    cudaFree(dA); cudaFree(dx); cudaFree(dy); cudaFree(dtmp);
    free(A); free(x); free(y);
    return 0;
}
