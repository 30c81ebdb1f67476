#include "kernels.h"

__global__ void spmv(int rows, const int* rowPtr, const int* colIdx, const double* values, const double* x, double* y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        y[row] = 0.0;
        for (int k = rowPtr[row]; k < rowPtr[row + 1]; k++)
            y[row] += values[k] * x[colIdx[k]];
    }
}

__global__ void dotPartial(int n, const double* a, const double* b, double* partial)
{
    __shared__ double cache[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? a[i] * b[i] : 0.0;
    __syncthreads();

    for (int s = 1; s < blockDim.x; s *= 2) {
        if (threadIdx.x % (2 * s) == 0)
            cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = cache[0];
}

__global__ void axpy(int n, double alpha, const double* x, double* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = y[i] + alpha * x[i];
}

__global__ void xpby(int n, const double* x, double beta, double* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + beta * y[i];
}
