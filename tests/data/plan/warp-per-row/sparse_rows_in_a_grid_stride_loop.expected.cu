// kernel=spmv line=10 finding=KO101
#include <cstdio>
#include <vector>
typedef int idx;

__global__ void spmv(idx rows, const idx *start, const idx *column, const double *value, const double *x, double *y)
{
    const int lane = threadIdx.x % 32;
    for (idx row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += gridDim.x * blockDim.x / 32) {
        double sum = 0.0;
        for (idx k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, offset);
        if (lane == 0) y[row] = sum;
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
    spmv<<<(rows + 7) / 8, 256>>>(rows, start, column, value, x, y);
    cudaDeviceSynchronize();
    printf("%f\n", y[7]);
}
