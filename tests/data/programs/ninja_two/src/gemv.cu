#include "gemv.cuh"

__global__ void gemv_rows(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int k = 0; k < columns; k++) sum += a[row * columns + k] * x[k];
    y[row] = sum;
}

void gemv(const float *a, const float *x, float *y, int rows, int columns)
{
    gemv_rows<<<(rows + 63) / 64, 64>>>(a, x, y, rows, columns);
}
