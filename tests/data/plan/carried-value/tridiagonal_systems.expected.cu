// kernel=solveSystems line=15 finding=KO120
// Many tridiagonal systems at once, one per thread (forward elimination, back substitution)
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void solveSystems(const double* lower, const double* diag, const double* upper, const double* rhs,
                             double* cw, double* dw, double* x, int unknowns, int systems)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    cw[s] = upper[s] / diag[s];
    dw[s] = rhs[s] / diag[s];
    double cw_last = cw[s];
    double dw_last = dw[s];
    for (int k = 1; k < unknowns; k++) {
        double w = 1.0 / (diag[k * systems + s] - lower[k * systems + s] * cw_last);
        cw_last = upper[k * systems + s] * w;
        cw[k * systems + s] = cw_last;
        dw_last = (rhs[k * systems + s] - lower[k * systems + s] * dw_last) * w;
        dw[k * systems + s] = dw_last;
    }
    x[(unknowns - 1) * systems + s] = dw[(unknowns - 1) * systems + s];
    double x_last = x[(unknowns - 1) * systems + s];
    for (int k = unknowns - 2; k >= 0; k--) {
        x_last = dw[k * systems + s] - cw[k * systems + s] * x_last;
        x[k * systems + s] = x_last;
    }
}

int main()
{
    const int unknowns = 40, systems = 96, count = unknowns * systems;
    std::vector<double> a(count), b(count), c(count), d(count), x(count);
    for (int i = 0; i < count; i++) {
        a[i] = -1.0 - (i % 7) * 0.01;
        b[i] = 4.0 + (i % 5) * 0.1;
        c[i] = -1.0;
        d[i] = (i % 11) - 5.0;
    }
    double *da, *db, *dc, *dd, *dcw, *ddw, *dx;
    cudaMalloc(&da, count * sizeof(double));
    cudaMalloc(&db, count * sizeof(double));
    cudaMalloc(&dc, count * sizeof(double));
    cudaMalloc(&dd, count * sizeof(double));
    cudaMalloc(&dcw, count * sizeof(double));
    cudaMalloc(&ddw, count * sizeof(double));
    cudaMalloc(&dx, count * sizeof(double));
    cudaMemcpy(da, a.data(), count * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), count * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), count * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dd, d.data(), count * sizeof(double), cudaMemcpyHostToDevice);
    solveSystems<<<(systems + 31) / 32, 32>>>(da, db, dc, dd, dcw, ddw, dx, unknowns, systems);
    cudaMemcpy(x.data(), dx, count * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (double v : x) sum += v;
    printf("%.12f\n", sum);
    return 0;
}
