// kernel=spmv line=10 finding=KO101
#include <cstdio>
#include <vector>
typedef int idx;

__global__ void spmv(idx rows, const idx *start, const idx *column, const double *value, const double *x, double *y)
{
    for (idx row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        double sum = 0.0;
        for (idx k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

int main()
{
    const int rows = 400;
    idx *start, *column;
    double *value, *x, *y;
    cudaMallocManaged(&start, (rows + 1) * sizeof(idx));
    cudaMallocManaged(&column, rows * 20 * sizeof(idx));
    cudaMallocManaged(&value, rows * 20 * sizeof(double));
    cudaMallocManaged(&x, rows * sizeof(double));
    cudaMallocManaged(&y, rows * sizeof(double));
    for (int i = 0; i <= rows; i++) start[i] = i * 20;
    for (int i = 0; i < rows * 20; i++) { column[i] = i * 17 % rows; value[i] = 0.01 * (i % 7); }
    for (int i = 0; i < rows; i++) x[i] = i % 5;
    spmv<<<(rows + 255) / 256, 256>>>(rows, start, column, value, x, y);
    cudaDeviceSynchronize();
    printf("%f\n", y[7]);
}
