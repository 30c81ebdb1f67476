// Double precision GEMM with register blocking: 64x64 block tile, 4x4 outputs per thread, bk = 8.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
dgemm(int M, int N, int K, double alpha, const double* __restrict__ A, const double* __restrict__ B,
      double beta, double* C)
{
    __shared__ double As[BK][BM];
    __shared__ double Bs[BK][BN];
    constexpr int NT = (BM / TM) * (BN / TN);
    const int tid = threadIdx.x;
    const int tx = tid % (BN / TN), ty = tid / (BN / TN);
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;

    double acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int l = tid; l < BM * BK; l += NT) {
            int r = l / BK, c = l % BK;
            As[c][r] = A[(row0 + r) * K + k0 + c];
        }
        for (int l = tid; l < BK * BN; l += NT) {
            int r = l / BN, c = l % BN;
            Bs[r][c] = B[(k0 + r) * N + col0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            double a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx + j * (BN / TN)];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            int idx = (row0 + ty * TM + i) * N + col0 + tx + j * (BN / TN);
            C[idx] = alpha * acc[i][j] + beta * C[idx];
        }
}

int main()
{
    const int M = 128, N = 192, K = 96;
    std::vector<double> A(M * K), B(K * N), C(M * N), R(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = std::sin(0.01 * i);
    for (int i = 0; i < K * N; ++i) B[i] = std::cos(0.02 * i);
    for (int i = 0; i < M * N; ++i) C[i] = i % 17;
    double *a, *b, *c;
    cudaMalloc(&a, A.size() * 8);
    cudaMalloc(&b, B.size() * 8);
    cudaMalloc(&c, C.size() * 8);
    cudaMemcpy(a, A.data(), A.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), B.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(c, C.data(), C.size() * 8, cudaMemcpyHostToDevice);
    dgemm<64, 64, 8, 4, 4><<<dim3(N / 64, M / 64), 256>>>(M, N, K, 1.5, a, b, -0.5, c);
    cudaMemcpy(R.data(), c, R.size() * 8, cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            worst = std::fmax(worst, std::fabs(1.5 * s - 0.5 * C[i * N + j] - R[i * N + j]));
        }
    bool ok = cudaGetLastError() == cudaSuccess && worst < 1e-9;
    std::printf("dgemm_regtile %s\n", ok ? "PASS" : "FAIL");
    return !ok;
}
