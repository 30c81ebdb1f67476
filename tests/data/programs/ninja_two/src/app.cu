#include <cstdio>
#include <vector>
#include "gemv.cuh"
#include "rows.h"

int main(int argc, char **argv)
{
    const int rows = row_count(argc > 1 ? argv[1] : nullptr), columns = 48;
    std::vector<float> a(rows * columns, 0.5f), x(columns, 2.f), y(rows);
    float *da, *dx, *dy;
    cudaMalloc(&da, a.size() * 4); cudaMalloc(&dx, x.size() * 4); cudaMalloc(&dy, y.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    gemv(da, dx, dy, rows, columns);
    cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost);
    printf("%g\n", y[rows - 1]);
}
