// Implicit vertical diffusion of a tracer, CUDA port of SUBROUTINE VDIFF (phys/vdiff.F90).
// Arrays keep the Fortran order  q(ncol,nlev)  ->  column index runs fastest.
// Level 0 is the model top, level nlev-1 touches the ground.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUCHK(e) do { cudaError_t r_ = (e); if (r_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(r_)); exit(1); } } while (0)

#define F2(i, k) ((size_t)(k) * ncol + (i))

// kv(ncol,nlev+1): eddy diffusivity at interfaces, kv(:,0)=kv(:,nlev)=0
__global__ void vdiff_coef(int ncol, int nlev, double dt, const double* kv, const double* dz,
                           double* a, double* b, double* c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = blockIdx.y;
    if (i >= ncol) return;
    double dzk = dz[F2(i, k)];
    double lo = 0.0, up = 0.0;
    if (k > 0)        up = dt * kv[F2(i, k)]     / (dzk * 0.5 * (dzk + dz[F2(i, k - 1)]));
    if (k < nlev - 1) lo = dt * kv[F2(i, k + 1)] / (dzk * 0.5 * (dzk + dz[F2(i, k + 1)]));
    a[F2(i, k)] = -up;
    c[F2(i, k)] = -lo;
    b[F2(i, k)] = 1.0 + up + lo;
}

// one backward Euler step; sfc is the surface flux (kg/m2/s-like units)
__global__ void vdiff_solve(int ncol, int nlev, double dt, const double* a, const double* b, const double* c,
                            const double* dz, const double* sfc, double* q, double* cp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ncol) return;
    // forward elimination
    double bet = b[F2(i, 0)];
    double rhs = q[F2(i, 0)];
    if (nlev == 1) rhs += dt * sfc[i] / dz[F2(i, 0)];
    double prev = rhs / bet;
    q[F2(i, 0)] = prev;
    for (int k = 1; k < nlev; ++k) {
        double g = c[F2(i, k - 1)] / bet;
        cp[F2(i, k)] = g;
        double ak = a[F2(i, k)];
        bet = b[F2(i, k)] - ak * g;
        rhs = q[F2(i, k)];
        if (k == nlev - 1) rhs += dt * sfc[i] / dz[F2(i, k)];
        prev = (rhs - ak * prev) / bet;
        q[F2(i, k)] = prev;
    }
    // back substitution
    for (int k = nlev - 2; k >= 0; --k) {
        prev = q[F2(i, k)] - cp[F2(i, k + 1)] * prev;
        q[F2(i, k)] = prev;
    }
}

int main()
{
    const int ncol = 2048, nlev = 64, nstep = 6;
    const double dt = 60.0;                  // physics time step from the namelist (30 s ... 1 h)
    size_t n = (size_t)ncol * nlev;
    std::vector<double> q(n), dz(n), kv((size_t)ncol * (nlev + 1)), sfc(ncol);
    for (int i = 0; i < ncol; ++i) {
        sfc[i] = 1e-3 * (1.0 + 0.5 * sin(0.013 * i));
        for (int k = 0; k < nlev; ++k) {
            dz[F2(i, k)] = 25.0 + 2.0 * (nlev - 1 - k) + 1.5 * cos(0.05 * i + k);
            q[F2(i, k)] = 8.0 * exp(-0.06 * (nlev - 1 - k)) + 0.3 * sin(0.2 * k + 0.01 * i);
        }
        for (int k = 0; k <= nlev; ++k) {
            double h = (double)(nlev - k) / nlev;
            double v = 150.0 * h * (1.0 - h) * (1.0 - h) * (1.0 + 0.4 * sin(0.02 * i)) + 0.5;
            if (k == 0 || k == nlev) v = 0.0;
            kv[F2(i, k)] = v;
        }
    }
    double *dq, *ddz, *dkv, *dsfc, *da, *db, *dc, *dcp;
    CUCHK(cudaMalloc(&dq, n * 8));  CUCHK(cudaMalloc(&ddz, n * 8));
    CUCHK(cudaMalloc(&dkv, kv.size() * 8)); CUCHK(cudaMalloc(&dsfc, ncol * 8));
    CUCHK(cudaMalloc(&da, n * 8)); CUCHK(cudaMalloc(&db, n * 8)); CUCHK(cudaMalloc(&dc, n * 8)); CUCHK(cudaMalloc(&dcp, n * 8));
    CUCHK(cudaMemcpy(dq, q.data(), n * 8, cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(ddz, dz.data(), n * 8, cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(dkv, kv.data(), kv.size() * 8, cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(dsfc, sfc.data(), ncol * 8, cudaMemcpyHostToDevice));

    vdiff_coef<<<dim3((ncol + 127) / 128, nlev), 128>>>(ncol, nlev, dt, dkv, ddz, da, db, dc);
    CUCHK(cudaGetLastError());
    for (int s = 0; s < nstep; ++s) {
        vdiff_solve<<<(ncol + 63) / 64, 64>>>(ncol, nlev, dt, da, db, dc, ddz, dsfc, dq, dcp);
        CUCHK(cudaGetLastError());
    }
    CUCHK(cudaMemcpy(q.data(), dq, n * 8, cudaMemcpyDeviceToHost));

    double mass = 0, mx = -1e30;
    for (size_t j = 0; j < n; ++j) { mass += q[j] * dz[j]; if (q[j] > mx) mx = q[j]; }
    printf("column burden %.10e  max %.10f\n", mass / ncol, mx);
    for (int k = 0; k < nlev; k += 9) printf("  lev %2d  q(100) = %.12f\n", k, q[F2(100, k)]);
    cudaFree(dq); cudaFree(ddz); cudaFree(dkv); cudaFree(dsfc); cudaFree(da); cudaFree(db); cudaFree(dc); cudaFree(dcp);
    return 0;
}
