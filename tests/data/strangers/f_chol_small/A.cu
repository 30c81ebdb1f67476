// Batched Cholesky factorization of 16x16 SPD matrices, one thread per matrix.
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

__global__ void cholesky16(const double* A, double* L, int* info, int batch)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= batch) return;
    const double* a = A + (size_t)m * DD;
    double* l = L + (size_t)m * DD;
    int bad = 0;
    for (int k = 0; k < DD; ++k) l[k] = 0.0;
    for (int j = 0; j < D && !bad; ++j) {
        double s = a[j * D + j];
        for (int t = 0; t < j; ++t) s -= l[j * D + t] * l[j * D + t];
        if (!(s > 0.0)) { bad = j + 1; break; }
        double piv = sqrt(s);
        l[j * D + j] = piv;
        for (int i = j + 1; i < D; ++i) {
            double v = a[i * D + j];
            for (int t = 0; t < j; ++t) v -= l[i * D + t] * l[j * D + t];
            l[i * D + j] = v / piv;
        }
    }
    if (bad) for (int k = 0; k < DD; ++k) l[k] = 0.0;
    info[m] = bad;
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
    cholesky16<<<(batch + 63) / 64, 64>>>(dA, dL, dInfo, batch);
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
