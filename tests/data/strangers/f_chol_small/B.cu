// Batched Cholesky factorization of 16x16 SPD matrices, sixteen lanes per matrix.
// L is written to a separate array (upper part zero). info = 0, or the 1-based index of
// the first bad pivot; the factor of such a matrix is set to zero.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CC(call) do { cudaError_t st = (call); if (st != cudaSuccess) { \
        fprintf(stderr, "[%s:%d] %s\n", __FILE__, __LINE__, cudaGetErrorString(st)); exit(1); } } while (0)

enum { D = 16, DD = D * D };

constexpr int GROUPS = 8;                 // matrices per block
constexpr int PITCH  = D + 1;

// Sixteen lanes per matrix; lane i keeps row i of the matrix in registers and eliminates
// right-looking. The row elements of the pivot column travel by shuffle; the matrix
// passes through shared memory on its way in and out, so that global accesses are contiguous.
__global__ void __launch_bounds__(GROUPS * D)
cholesky16(const double* __restrict__ A, double* __restrict__ L, int* __restrict__ info, int batch)
{
    __shared__ double stage[GROUPS][D * PITCH];
    const unsigned ALL = 0xffffffffu;
    const int lane = threadIdx.x % D, grp = threadIdx.x / D;
    const int m0 = blockIdx.x * GROUPS;
    const int here = min(GROUPS, batch - m0);          // matrices of this block

    for (int k = threadIdx.x; k < here * DD; k += GROUPS * D) {
        int g = k / DD, e = k % DD;
        stage[g][(e / D) * PITCH + e % D] = A[(size_t)m0 * DD + k];
    }
    __syncthreads();

    double row[D];
#pragma unroll
    for (int j = 0; j < D; ++j) row[j] = grp < here ? stage[grp][lane * PITCH + j] : (lane == j ? 1.0 : 0.0);

    int bad = 0;
#pragma unroll
    for (int j = 0; j < D; ++j) {
        double s = __shfl_sync(ALL, row[j], j, D);     // diagonal element of the remaining matrix
        if (!bad && !(s > 0.0)) bad = j + 1;           // the same decision in all 16 lanes
        double piv = bad ? 1.0 : sqrt(s);
        if (lane == j) row[j] = piv;
        else if (lane > j) row[j] /= piv;
        double mine = row[j];
#pragma unroll
        for (int c = j + 1; c < D; ++c) {
            double lc = __shfl_sync(ALL, mine, c, D);  // L(c, j)
            if (lane >= c) row[c] -= mine * lc;
        }
    }

    if (grp < here) {
#pragma unroll
        for (int j = 0; j < D; ++j) stage[grp][lane * PITCH + j] = (bad || j > lane) ? 0.0 : row[j];
        if (lane == 0) info[m0 + grp] = bad;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < here * DD; k += GROUPS * D) {
        int g = k / DD, e = k % DD;
        L[(size_t)m0 * DD + k] = stage[g][(e / D) * PITCH + e % D];
    }
}

int main()
{
    const int batch = 1501;
    std::vector<double> A((size_t)batch * DD), L((size_t)batch * DD);
    std::vector<int> info(batch);
    for (int m = 0; m < batch; ++m) {
        double g[D][D];
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) g[i][j] = std::sin(1.0 + 0.37 * i * (j + 1) + 0.011 * m * (i + 3)) ;
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) {
                double s = (i == j) ? 0.5 : 0.0;
                for (int t = 0; t < D; ++t) s += g[i][t] * g[j][t];
                A[(size_t)m * DD + i * D + j] = s;
            }
        if (m % 97 == 5) A[(size_t)m * DD + 7 * D + 7] = -1.0;      // not definite
    }
    double *dA, *dL; int* dInfo;
    CC(cudaMalloc(&dA, A.size() * sizeof(double)));
    CC(cudaMalloc(&dL, L.size() * sizeof(double)));
    CC(cudaMalloc(&dInfo, batch * sizeof(int)));
    CC(cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice));
    cholesky16<<<(batch + GROUPS - 1) / GROUPS, GROUPS * D>>>(dA, dL, dInfo, batch);
    CC(cudaGetLastError());
    CC(cudaMemcpy(L.data(), dL, L.size() * sizeof(double), cudaMemcpyDeviceToHost));
    CC(cudaMemcpy(info.data(), dInfo, batch * sizeof(int), cudaMemcpyDeviceToHost));
    double logdet = 0, off = 0; int failed = 0, codes = 0;
    for (int m = 0; m < batch; ++m) {
        if (info[m]) { ++failed; codes += info[m]; continue; }
        for (int i = 0; i < D; ++i) {
            logdet += 2.0 * std::log(L[(size_t)m * DD + i * D + i]);
            for (int j = 0; j < i; ++j) off += L[(size_t)m * DD + i * D + j];
        }
    }
    printf("failed %d (codes %d)  sum log det %.8f  sum off-diagonal %.8f\n", failed, codes, logdet, off);
    cudaFree(dA); cudaFree(dL); cudaFree(dInfo);
    return 0;
}
