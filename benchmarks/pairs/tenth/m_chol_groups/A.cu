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

__global__ void chol_solve(const double* __restrict__ mats, const double* __restrict__ rhs,
                           double* __restrict__ x, int* __restrict__ info, int batch)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    const double* A = mats + (size_t)b * NN * NN;
    double L[NN][NN];
    int bad = 0;
    for (int j = 0; j < NN && !bad; j++) {
        double d = A[j * NN + j];
        for (int k = 0; k < j; k++) d -= L[j][k] * L[j][k];
        if (!(d > 0.0)) { bad = j + 1; break; }
        L[j][j] = sqrt(d);
        for (int i = j + 1; i < NN; i++) {
            double s = A[i * NN + j];
            for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            L[i][j] = s / L[j][j];
        }
    }
    info[b] = bad;
    if (bad) {
        for (int i = 0; i < NN; i++) x[(size_t)b * NN + i] = 0.0;
        return;
    }
    double y[NN];
    for (int i = 0; i < NN; i++) {
        double s = rhs[(size_t)b * NN + i];
        for (int k = 0; k < i; k++) s -= L[i][k] * y[k];
        y[i] = s / L[i][i];
    }
    for (int i = NN - 1; i >= 0; i--) {
        double s = y[i];
        for (int k = i + 1; k < NN; k++) s -= L[k][i] * y[k];
        y[i] = s / L[i][i];
    }
    for (int i = 0; i < NN; i++) x[(size_t)b * NN + i] = y[i];
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

    chol_solve<<<(batch + 127) / 128, 128>>>(dm, dr, dx, di, batch);
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
