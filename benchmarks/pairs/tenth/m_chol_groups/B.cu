// Batched Cholesky solve of small symmetric systems (8 x 8, double), as in per-item ridge regressions.
// Only the lower triangle of a matrix is read. info = 0, or 1 + index of the first pivot that is not positive
// (then x is set to zero).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int NN = 8;

void cudaAssert(cudaError_t c, const char* where)
{
    if (c == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(c));
    exit(3);
}

const int BLOCK = 128;
const int PER_BLOCK = BLOCK / NN;

// Eight neighbouring lanes share a system: lane r keeps row r of the (lower) matrix in registers,
// what the rows need from each other goes through shuffles within the group.
__global__ void __launch_bounds__(BLOCK)
chol_solve(const double* __restrict__ mats, const double* __restrict__ rhs,
           double* __restrict__ x, int* __restrict__ info, int batch)
{
    const int b = blockIdx.x * PER_BLOCK + threadIdx.x / NN;
    if (b >= batch) return;                                   // whole groups leave
    const int r = threadIdx.x % NN;
    const unsigned group = 0xffu << (threadIdx.x & 31 & ~(NN - 1));

    double a[NN];
    const double* row = mats + (size_t)b * NN * NN + r * NN;
#pragma unroll
    for (int k = 0; k < NN; k++) a[k] = k <= r ? row[k] : 0.0;
    double v = rhs[(size_t)b * NN + r];

    int bad = 0;
#pragma unroll
    for (int j = 0; j < NN; j++) {
        double piv = __shfl_sync(group, a[j], j, NN);
        if (!(piv > 0.0)) {                                   // the same decision in all lanes of the group
            if (!bad) bad = j + 1;
            piv = 1.0;                                        // go on, the result is thrown away
        }
        const double d = sqrt(piv);
        a[j] = r == j ? d : a[j] / d;
#pragma unroll
        for (int k = j + 1; k < NN; k++) {
            const double lkj = __shfl_sync(group, a[j], k, NN);
            a[k] -= a[j] * lkj;                               // of use in lanes r >= k
        }
    }

    // L y = rhs
#pragma unroll
    for (int j = 0; j < NN; j++) {
        if (r == j) v /= a[j];
        const double yj = __shfl_sync(group, v, j, NN);
        if (r > j) v -= a[j] * yj;
    }
    // L^T x = y: column i of L is spread over the lanes, so the dot product is a reduction
#pragma unroll
    for (int i = NN - 1; i >= 0; i--) {
        double s = r > i ? a[i] * v : 0.0;
#pragma unroll
        for (int o = NN / 2; o > 0; o >>= 1) s += __shfl_xor_sync(group, s, o, NN);
        if (r == i) v = (v - s) / a[i];
    }

    x[(size_t)b * NN + r] = bad ? 0.0 : v;
    if (r == 0) info[b] = bad;
}

int main()
{
    const int batch = 12345;
    std::vector<double> m((size_t)batch * NN * NN), r((size_t)batch * NN), x(r.size());
    std::vector<int> info(batch);
    unsigned long long z = 88172645463325252ull;
    auto rnd = [&z]() { z ^= z << 13; z ^= z >> 7; z ^= z << 17; return (double)(z >> 11) / 9007199254740992.0 - 0.5; };
    for (int b = 0; b < batch; b++) {
        double g[NN][NN];
        for (auto& row : g) for (double& v : row) v = rnd();
        double* A = &m[(size_t)b * NN * NN];
        for (int i = 0; i < NN; i++)
            for (int j = 0; j < NN; j++) {
                double s = i == j ? 0.2 : 0.0;
                for (int k = 0; k < NN; k++) s += g[i][k] * g[j][k];
                A[i * NN + j] = s;
            }
        if (b % 500 == 17) A[(b % NN) * NN + b % NN] = -1.0;       // broken ones
        for (int i = 0; i < NN; i++) r[(size_t)b * NN + i] = rnd();
    }

    double *dm, *dr, *dx; int* di;
    cudaAssert(cudaMalloc(&dm, m.size() * sizeof(double)), "malloc");
    cudaAssert(cudaMalloc(&dr, r.size() * sizeof(double)), "malloc");
    cudaAssert(cudaMalloc(&dx, x.size() * sizeof(double)), "malloc");
    cudaAssert(cudaMalloc(&di, batch * sizeof(int)), "malloc");
    cudaAssert(cudaMemcpy(dm, m.data(), m.size() * sizeof(double), cudaMemcpyHostToDevice), "h2d");
    cudaAssert(cudaMemcpy(dr, r.data(), r.size() * sizeof(double), cudaMemcpyHostToDevice), "h2d");

    chol_solve<<<(batch + PER_BLOCK - 1) / PER_BLOCK, BLOCK>>>(dm, dr, dx, di, batch);
    cudaAssert(cudaGetLastError(), "launch");
    cudaAssert(cudaMemcpy(x.data(), dx, x.size() * sizeof(double), cudaMemcpyDeviceToHost), "d2h");
    cudaAssert(cudaMemcpy(info.data(), di, batch * sizeof(int), cudaMemcpyDeviceToHost), "d2h");

    int failed = 0, infosum = 0; double worst = 0, sum = 0;
    for (int b = 0; b < batch; b++) {
        if (info[b]) { failed++; infosum += info[b]; continue; }
        for (int i = 0; i < NN; i++) {
            double s = -r[(size_t)b * NN + i];
            for (int j = 0; j < NN; j++) s += m[(size_t)b * NN * NN + i * NN + j] * x[(size_t)b * NN + j];
            worst = std::fmax(worst, std::fabs(s));
            sum += x[(size_t)b * NN + i];
        }
    }
    printf("failed %d (info sum %d)  residual %s  sum x %.8f\n", failed, infosum, worst < 1e-10 ? "ok" : "LARGE", sum);
    cudaFree(dm); cudaFree(dr); cudaFree(dx); cudaFree(di);
    return 0;
}
