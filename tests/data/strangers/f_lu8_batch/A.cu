// Batched solve of small dense systems (8x8, partial pivoting). One thread per system.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

#define CUDA_OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int N = 8;

__global__ void solveBatch(const float* __restrict__ mats, const float* __restrict__ rhs,
                           float* __restrict__ sol, int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count) return;
    float a[N][N], b[N];
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) a[i][j] = mats[(size_t)m * N * N + i * N + j];
        b[i] = rhs[(size_t)m * N + i];
    }
    for (int k = 0; k < N; ++k) {
        int p = k;
        float best = fabsf(a[k][k]);
        for (int r = k + 1; r < N; ++r) {
            float v = fabsf(a[r][k]);
            if (v > best) { best = v; p = r; }
        }
        if (p != k) {
            for (int j = 0; j < N; ++j) { float t = a[k][j]; a[k][j] = a[p][j]; a[p][j] = t; }
            float t = b[k]; b[k] = b[p]; b[p] = t;
        }
        for (int r = k + 1; r < N; ++r) {
            float f = a[r][k] / a[k][k];
            for (int j = k + 1; j < N; ++j) a[r][j] -= f * a[k][j];
            b[r] -= f * b[k];
        }
    }
    for (int k = N - 1; k >= 0; --k) {
        float x = b[k] / a[k][k];
        b[k] = x;
        for (int r = 0; r < k; ++r) b[r] -= a[r][k] * x;
    }
    for (int i = 0; i < N; ++i) sol[(size_t)m * N + i] = b[i];
}

static unsigned lcg(unsigned& s) { s = s * 1664525u + 1013904223u; return s >> 8; }

int main()
{
    const int count = 20011;
    std::vector<float> A((size_t)count * N * N), B((size_t)count * N), X((size_t)count * N);
    unsigned s = 12345u;
    for (int m = 0; m < count; ++m)
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) {
                float r = (lcg(s) % 20001) / 20000.0f - 0.5f;
                A[(size_t)m * N * N + i * N + j] = (i == j) ? 9.0f + r : r;
            }
            B[(size_t)m * N + i] = (lcg(s) % 2001) / 1000.0f - 1.0f;
        }
    float *dA, *dB, *dX;
    CUDA_OK(cudaMalloc(&dA, A.size() * sizeof(float)));
    CUDA_OK(cudaMalloc(&dB, B.size() * sizeof(float)));
    CUDA_OK(cudaMalloc(&dX, X.size() * sizeof(float)));
    CUDA_OK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));
    solveBatch<<<(count + 127) / 128, 128>>>(dA, dB, dX, count);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(X.data(), dX, X.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0, worst = 0;
    for (int m = 0; m < count; ++m)
        for (int i = 0; i < N; ++i) {
            double r = B[(size_t)m * N + i];
            for (int j = 0; j < N; ++j) r -= (double)A[(size_t)m * N * N + i * N + j] * X[(size_t)m * N + j];
            worst = std::fmax(worst, std::fabs(r));
            sum += X[(size_t)m * N + i];
        }
    printf("sum of solutions %.6f  worst residual %s 1e-5\n", sum, worst < 1e-5 ? "<" : ">=");
    printf("x[0] = %.6f %.6f %.6f %.6f\n", X[0], X[1], X[2], X[3]);
    cudaFree(dA); cudaFree(dB); cudaFree(dX);
    return 0;
}
