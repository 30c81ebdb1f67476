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

#define FULL 0xffffffffu

// One warp per matrix, several matrices per block; lane = row, the row lives in registers.
// Rows are not moved: every lane remembers at which step it was the pivot.
#define WARPS 4

__global__ void __launch_bounds__(32 * WARPS) lu_solve(const float *__restrict__ mats, const float *__restrict__ rhs,
                                                       float *__restrict__ sol, float *__restrict__ logdet,
                                                       int *__restrict__ piv, int batch)
{
    __shared__ float stage[WARPS][N][N + 1];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const int g = blockIdx.x * WARPS + w;
    if (g >= batch) return;                       // whole warps only

    const float *m = mats + (size_t)g * N * N;
    for (int i = 0; i < N; ++i) stage[w][i][lane] = m[i * N + lane];
    __syncwarp();
    float a[N];
#pragma unroll
    for (int j = 0; j < N; ++j) a[j] = stage[w][lane][j];
    float b = rhs[g * N + lane];

    int pos = lane;                               // row index this lane would have after the swaps
    float ld = 0.f;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        // arg max over the rows that are left: value in the high half, lowest position wins ties
        unsigned long long key = 0;
        if (pos >= k) key = ((unsigned long long)__float_as_uint(a[k]) << 32) | (unsigned)(((N - 1 - pos) << 5) | lane);
#pragma unroll
        for (int o = 16; o; o >>= 1) {
            unsigned long long other = __shfl_xor_sync(FULL, key, o);
            key = other > key ? other : key;
        }
        const int src = (int)(key & 31u);
        const int ppos = __shfl_sync(FULL, pos, src);
        if (lane == 0) piv[g * N + k] = ppos;
        if (lane == src) pos = k;
        else if (pos == k) pos = ppos;

        const float d = __shfl_sync(FULL, a[k], src);
        ld += logf(fabsf(d));
        const float f = a[k] / d;
        const bool below = pos > k;
#pragma unroll
        for (int j = k + 1; j < N; ++j) {
            float pj = __shfl_sync(FULL, a[j], src);
            if (below) a[j] -= f * pj;
        }
        float pb = __shfl_sync(FULL, b, src);
        if (below) b -= f * pb;
    }

#pragma unroll
    for (int k = N - 1; k >= 0; --k) {
        if (pos == k) b /= a[k];
        const int src = __ffs(__ballot_sync(FULL, pos == k)) - 1;
        float xk = __shfl_sync(FULL, b, src);
        if (pos < k) b -= a[k] * xk;
    }
    sol[g * N + pos] = b;
    if (lane == 0) logdet[g] = ld;
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

    lu_solve<<<(batch + WARPS - 1) / WARPS, 32 * WARPS>>>(dA, dr, dx, dld, dp, batch);
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
