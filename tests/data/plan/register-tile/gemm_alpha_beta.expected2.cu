// kernel=gemm line=16 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define TS 16
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float a_tile[16][132];
    __shared__ float b_tile[16][64];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float acc[8][4] = {};
    float a_next[8];
    float b_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            const int row = blockIdx.y * 128 + e / 16;
            const int k = start + e % 16;
            a_next[l] = row < M && k < K ? A[row * K + k] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int col = blockIdx.x * 64 + e % 64;
            const int k = start + e / 64;
            b_next[l] = col < N && k < K ? B[k * N + col] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < K; start += 16) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            a_tile[e % 16][e / 16] = a_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            b_tile[e / 64][e % 64] = b_next[l];
        }
        __syncthreads();
        if (start + 16 < K) load_next(start + 16);
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            float a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_reg[i] = a_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
            }
            float b_reg[4];
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                b_reg[j] = b_tile[p][threadIdx.x * 4 + j];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    acc[i][j] += a_reg[i] * b_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int col = blockIdx.x * 64 + threadIdx.x * 4 + j;
            if (row < M && col < N) {
                C[row * N + col] = alpha * acc[i][j] + beta * C[row * N + col];
            }
        }
    }
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
    dim3 grid((N + 4 * TS - 1) / (4 * TS), (M + 8 * TS - 1) / (8 * TS));
    gemm<<<grid, block>>>(M, N, K, 1.5f, A, B, 0.5f, C);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(hC, C, sizeof(float) * M * N, cudaMemcpyDeviceToHost));
    double s = 0;
    for (int i = 0; i < M * N; i++) s += hC[i];
    printf("%.6f\n", s);
    return 0;
}
