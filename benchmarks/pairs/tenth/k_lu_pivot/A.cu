// Batched LU with partial pivoting of 32x32 systems + solve + log|det|,
// used on the covariance blocks of a Gaussian process.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define N 32

#define CUDA_TRY(e) do { cudaError_t rc_ = (e); if (rc_ != cudaSuccess) { \
    printf("%s -> %s\n", #e, cudaGetErrorString(rc_)); abort(); } } while (0)

__global__ void lu_solve(const float *mats, const float *rhs, float *sol, float *logdet, int *piv)
{
    __shared__ float a[N][N + 1];
    __shared__ float b[N];
    __shared__ int prow;

    const int t = threadIdx.x;                 // row
    const float *m = mats + (size_t)blockIdx.x * N * N;
    for (int i = 0; i < N; ++i) a[i][t] = m[i * N + t];
    b[t] = rhs[blockIdx.x * N + t];
    __syncthreads();

    float ld = 0.f;
    for (int k = 0; k < N; ++k) {
        if (t == 0) {
            int best = k;
            float bv = fabsf(a[k][k]);
            for (int i = k + 1; i < N; ++i)
                if (fabsf(a[i][k]) > bv) { bv = fabsf(a[i][k]); best = i; }
            prow = best;
            piv[blockIdx.x * N + k] = best;
        }
        __syncthreads();
        int p = prow;
        if (p != k) {
            float x = a[k][t];
            a[k][t] = a[p][t];
            a[p][t] = x;
            if (t == 0) { x = b[k]; b[k] = b[p]; b[p] = x; }
        }
        __syncthreads();
        ld += logf(fabsf(a[k][k]));
        if (t > k) {
            float f = a[t][k] / a[k][k];
            for (int j = k + 1; j < N; ++j) a[t][j] -= f * a[k][j];
            b[t] -= f * b[k];
        }
        __syncthreads();
    }

    for (int k = N - 1; k >= 0; --k) {
        if (t == k) b[k] /= a[k][k];
        __syncthreads();
        if (t < k) b[t] -= a[t][k] * b[k];
        __syncthreads();
    }
    sol[blockIdx.x * N + t] = b[t];
    if (t == 0) logdet[blockIdx.x] = ld;
}

int main(void)
{
    const int batch = 600;
    std::vector<float> A(batch * N * N), r(batch * N), x(batch * N), ld(batch);
    std::vector<int> pv(batch * N);

    for (int g = 0; g < batch; ++g) {
        float len = 0.5f + 0.004f * g;
        float ts[N], tt = 0.f;
        for (int i = 0; i < N; ++i) { tt += 0.05f + 0.01f * ((i * 5 + g) % 7); ts[i] = tt; }
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                A[(g * N + i) * N + j] = expf(-fabsf(ts[i] - ts[j]) / len) + (i == j ? 0.1f : 0.f);
        for (int i = 0; i < N; ++i) r[g * N + i] = sinf(3.f * ts[i]) + 0.1f * ((i + g) % 3);
    }

    float *dA, *dr, *dx, *dld;
    int *dp;
    CUDA_TRY(cudaMalloc((void **)&dA, A.size() * sizeof(float)));
    CUDA_TRY(cudaMalloc((void **)&dr, r.size() * sizeof(float)));
    CUDA_TRY(cudaMalloc((void **)&dx, x.size() * sizeof(float)));
    CUDA_TRY(cudaMalloc((void **)&dld, ld.size() * sizeof(float)));
    CUDA_TRY(cudaMalloc((void **)&dp, pv.size() * sizeof(int)));
    CUDA_TRY(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(dr, r.data(), r.size() * sizeof(float), cudaMemcpyHostToDevice));

    lu_solve<<<batch, N>>>(dA, dr, dx, dld, dp);
    CUDA_TRY(cudaGetLastError());

    CUDA_TRY(cudaMemcpy(x.data(), dx, x.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(ld.data(), dld, ld.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(pv.data(), dp, pv.size() * sizeof(int), cudaMemcpyDeviceToHost));

    double sld = 0, quad = 0;
    long swaps = 0;
    for (int g = 0; g < batch; ++g) {
        sld += ld[g];
        for (int i = 0; i < N; ++i) {
            quad += (double)x[g * N + i] * r[g * N + i];
            swaps += pv[g * N + i] != i;
        }
    }
    printf("sum log|det| %.4f   sum r'K^-1 r %.4f   row swaps %ld\n", sld, quad, swaps);
    cudaFree(dA); cudaFree(dr); cudaFree(dx); cudaFree(dld); cudaFree(dp);
    return 0;
}
