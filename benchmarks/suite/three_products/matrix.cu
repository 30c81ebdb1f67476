#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>
#include "matrix.h"
#include "gemm.cuh"

void check(cudaError_t status) {
    if (status != cudaSuccess) {
        fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

Matrix::Matrix(int n) : n_(n) { check(cudaMalloc(&data_, sizeof(double) * n * n)); }

Matrix::Matrix(int n, const std::function<double(int, int)>& value) : Matrix(n) {
    std::vector<double> host((size_t)n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) host[(size_t)i * n + j] = value(i, j);
    check(cudaMemcpy(data_, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
}

Matrix::~Matrix() { cudaFree(data_); }

double Matrix::norm() const {
    std::vector<double> host((size_t)n_ * n_);
    check(cudaMemcpy(host.data(), data_, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double v : host) sum += v * v;
    return std::sqrt(sum);
}

void multiply(const Matrix& a, const Matrix& b, Matrix& c) {
    int n = c.n();
    dim3 threads(TILE, TILE);
    dim3 blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    gemm<double><<<blocks, threads>>>(a.data(), b.data(), c.data(), n);
    check(cudaGetLastError());
}
