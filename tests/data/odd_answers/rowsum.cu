#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include "helper.cuh"

#define N 256
#define M 512

// one thread per row
__global__ void row_sum_kernel(const float* A, float* out, int n, int m) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float acc = 0.f;
    for (int j = 0; j < m; ++j) acc += A[row * m + j];
    out[row] = acc;
}

static void launch_row_sum(const float* A, float* out, int n, int m) {
    dim3 threads(128);
    dim3 blocks(div_up(n, threads.x));
    row_sum_kernel<<<blocks, threads>>>(A, out, n, m);
    CHECK(cudaGetLastError());
}

int main(int argc, char** argv) {
    float *hA = (float*)malloc(N * M * sizeof(float)), *ho = (float*)malloc(N * sizeof(float));
    for (int i = 0; i < N * M; ++i) hA[i] = (float)((i * 37) % 101) * 0.25f;
    float *dA, *d_o;
    CHECK(cudaMalloc(&dA, N * M * sizeof(float)));
    CHECK(cudaMalloc(&d_o, N * sizeof(float)));
    CHECK(cudaMemcpy(dA, hA, N * M * sizeof(float), cudaMemcpyHostToDevice));
    launch_row_sum(dA, d_o, N, M);
    CHECK(cudaMemcpy(ho, d_o, N * sizeof(float), cudaMemcpyDeviceToHost));
    double total = 0; for (int i = 0; i < N; ++i) total += ho[i];
    printf("total = %.3f\n", total);
    return 0;
}
