// kernel=gemm line=16 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define TS 16
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    int row = blockIdx.y * TS + threadIdx.y;
    int col = blockIdx.x * TS + threadIdx.x;
    if (row >= M || col >= N) return;

    float acc = 0.f;
    for (int k = 0; k < K; k++) {
        acc += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = alpha * acc + beta * C[row * N + col];
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 300, N = M - 13, K = M + 7;
    float *hA = (float *)malloc(sizeof(float) * M * K), *hB = (float *)malloc(sizeof(float) * K * N), *hC = (float *)malloc(sizeof(float) * M * N);
    for (int i = 0; i < M * K; i++) hA[i] = (i * 7 % 13) * 0.25f - 1.0f;
    for (int i = 0; i < K * N; i++) hB[i] = (i * 5 % 11) * 0.5f - 2.0f;
    for (int i = 0; i < M * N; i++) hC[i] = i % 3;
    float *A, *B, *C;
    CHECK(cudaMalloc(&A, sizeof(float) * M * K));
    CHECK(cudaMalloc(&B, sizeof(float) * K * N));
    CHECK(cudaMalloc(&C, sizeof(float) * M * N));
    CHECK(cudaMemcpy(A, hA, sizeof(float) * M * K, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(B, hB, sizeof(float) * K * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(C, hC, sizeof(float) * M * N, cudaMemcpyHostToDevice));
    dim3 block(TS, TS);
    dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
    gemm<<<grid, block>>>(M, N, K, 1.5f, A, B, 0.5f, C);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(hC, C, sizeof(float) * M * N, cudaMemcpyDeviceToHost));
    double s = 0;
    for (int i = 0; i < M * N; i++) s += hC[i];
    printf("%.6f\n", s);
    return 0;
}
