#include "vec/axpy.hpp"
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

using vec::real;

int main()
{
    int const n = 777;
    std::vector<real> x(n), y(n, real(1));
    for (int i = 0; i < n; ++i) x[i] = real(i);
    real *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dx, n * sizeof(real));
    cudaMalloc(&dy, n * sizeof(real));
    cudaMemcpy(dx, x.data(), n * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(real), cudaMemcpyHostToDevice);
    vec::axpy(real(3), dx, dy, n);
    cudaMemcpy(y.data(), dy, n * sizeof(real), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i) bad += y[i] != real(1) + real(3) * real(i);
    std::cout << "axpy " << n << " bad " << bad << std::endl;
    cudaFree(dx);
    cudaFree(dy);
    return bad;
}
