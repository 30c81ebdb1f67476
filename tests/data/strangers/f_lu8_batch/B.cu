// Batched solve of small dense systems (8x8, partial pivoting). Eight lanes per system.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

#define CUDA_OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int N = 8;

// Eight lanes work on one system; every lane keeps one row in registers.
// Pivot search, row exchange and broadcast of the pivot row are done with shuffles.
__global__ void __launch_bounds__(128)
solveBatch(const float* __restrict__ mats, const float* __restrict__ rhs,
           float* __restrict__ sol, int count)
{
    const unsigned FULL = 0xffffffffu;
    const int lane = threadIdx.x & (N - 1);
    const int mat  = (blockIdx.x * blockDim.x + threadIdx.x) / N;
    const int m    = min(mat, count - 1);      // spare groups repeat the last system

    float row[N];
    const float4* src = reinterpret_cast<const float4*>(mats + (size_t)m * N * N + lane * N);
    float4 q0 = __ldg(src), q1 = __ldg(src + 1);
    row[0] = q0.x; row[1] = q0.y; row[2] = q0.z; row[3] = q0.w;
    row[4] = q1.x; row[5] = q1.y; row[6] = q1.z; row[7] = q1.w;
    float b = __ldg(rhs + (size_t)m * N + lane);

#pragma unroll
    for (int k = 0; k < N; ++k) {
        // arg-max over the rows that are still to be eliminated
        float v = (lane >= k) ? row[k] : -3.0e38f;
        int   p = lane;
#pragma unroll
        for (int o = N / 2; o > 0; o >>= 1) {
            float ov = __shfl_xor_sync(FULL, v, o, N);
            int   op = __shfl_xor_sync(FULL, p, o, N);
            if (ov > v || (ov == v && op < p)) { v = ov; p = op; }
        }
        int from = (lane == k) ? p : (lane == p) ? k : lane;
#pragma unroll
        for (int j = 0; j < N; ++j) row[j] = __shfl_sync(FULL, row[j], from, N);
        b = __shfl_sync(FULL, b, from, N);

        float piv = __shfl_sync(FULL, row[k], k, N);
        float f   = (lane > k) ? row[k] / piv : 0.0f;
#pragma unroll
        for (int j = k + 1; j < N; ++j) {
            float pr = __shfl_sync(FULL, row[j], k, N);
            row[j] -= f * pr;
        }
        float pb = __shfl_sync(FULL, b, k, N);
        b -= f * pb;
    }
#pragma unroll
    for (int k = N - 1; k >= 0; --k) {
        float x = __shfl_sync(FULL, b / row[k], k, N);
        if (lane == k)     b = x;
        else if (lane < k) b -= row[k] * x;
    }
    if (mat < count) sol[(size_t)m * N + lane] = b;
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
    solveBatch<<<(count * N + 127) / 128, 128>>>(dA, dB, dX, count);
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
