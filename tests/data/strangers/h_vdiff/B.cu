// Implicit vertical diffusion of a tracer, CUDA port of SUBROUTINE VDIFF (phys/vdiff.F90).
// Arrays keep the Fortran order  q(ncol,nlev)  ->  column index runs fastest.
// Level 0 is the model top, level nlev-1 touches the ground.
//
// v2: the whole sub-stepping runs in one kernel.  A block owns NC columns, one thread per (column, level),
//     and solves the tridiagonal systems by parallel cyclic reduction in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUCHK(e) do { cudaError_t r_ = (e); if (r_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(r_)); exit(1); } } while (0)

#define F2(i, k) ((size_t)(k) * ncol + (i))

constexpr int NC = 4;      // columns per block

// kv(ncol,nlev+1): eddy diffusivity at interfaces, kv(:,0)=kv(:,nlev)=0
__global__ void vdiff_pcr(int ncol, int nlev, int nstep, double dt,
                          const double* __restrict__ kv, const double* __restrict__ dz,
                          const double* __restrict__ sfc, double* __restrict__ q)
{
    extern __shared__ double sm[];
    double* sa = sm;
    double* sb = sa + NC * nlev;
    double* sc = sb + NC * nlev;
    double* sd = sc + NC * nlev;

    const int tx = threadIdx.x, k = threadIdx.y;
    const int i = blockIdx.x * NC + tx;
    const bool live = i < ncol;
    const int me = k * NC + tx;

    // coefficients of this row stay in registers for all steps
    double a0 = 0.0, b0 = 1.0, c0 = 0.0, val = 0.0, src = 0.0;
    if (live) {
        double dzk = dz[F2(i, k)];
        double lo = 0.0, up = 0.0;
        if (k > 0)        up = dt * kv[F2(i, k)]     / (dzk * 0.5 * (dzk + dz[F2(i, k - 1)]));
        if (k < nlev - 1) lo = dt * kv[F2(i, k + 1)] / (dzk * 0.5 * (dzk + dz[F2(i, k + 1)]));
        a0 = -up; c0 = -lo; b0 = 1.0 + up + lo;
        if (k == nlev - 1) src = dt * sfc[i] / dzk;
        val = q[F2(i, k)];
    }

    for (int it = 0; it < nstep; ++it) {
        double a = a0, b = b0, c = c0, d = val + src;
        sa[me] = a; sb[me] = b; sc[me] = c; sd[me] = d;
        __syncthreads();
        for (int s = 1; s < nlev / 2; s <<= 1) {
            double na = 0.0, nc = 0.0, nb = b, nd = d;
            if (k - s >= 0) {
                int j = me - s * NC;
                double f = a / sb[j];
                na = -f * sa[j];
                nb -= f * sc[j];
                nd -= f * sd[j];
            }
            if (k + s < nlev) {
                int j = me + s * NC;
                double f = c / sb[j];
                nc = -f * sc[j];
                nb -= f * sa[j];
                nd -= f * sd[j];
            }
            __syncthreads();
            a = na; b = nb; c = nc; d = nd;
            sa[me] = a; sb[me] = b; sc[me] = c; sd[me] = d;
            __syncthreads();
        }
        val = d / b;        // decoupled: every row is now b*x = d
    }
    if (live) q[F2(i, k)] = val;
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
    double *dq, *ddz, *dkv, *dsfc;
    CUCHK(cudaMalloc(&dq, n * 8));  CUCHK(cudaMalloc(&ddz, n * 8));
    CUCHK(cudaMalloc(&dkv, kv.size() * 8)); CUCHK(cudaMalloc(&dsfc, ncol * 8));
    CUCHK(cudaMemcpy(dq, q.data(), n * 8, cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(ddz, dz.data(), n * 8, cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(dkv, kv.data(), kv.size() * 8, cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(dsfc, sfc.data(), ncol * 8, cudaMemcpyHostToDevice));

    size_t shm = (size_t)4 * NC * nlev * sizeof(double);
    vdiff_pcr<<<(ncol + NC - 1) / NC, dim3(NC, nlev), shm>>>(ncol, nlev, nstep, dt, dkv, ddz, dsfc, dq);
    CUCHK(cudaGetLastError());
    CUCHK(cudaMemcpy(q.data(), dq, n * 8, cudaMemcpyDeviceToHost));

    double mass = 0, mx = -1e30;
    for (size_t j = 0; j < n; ++j) { mass += q[j] * dz[j]; if (q[j] > mx) mx = q[j]; }
    printf("column burden %.10e  max %.10f\n", mass / ncol, mx);
    for (int k = 0; k < nlev; k += 9) printf("  lev %2d  q(100) = %.12f\n", k, q[F2(100, k)]);
    cudaFree(dq); cudaFree(ddz); cudaFree(dkv); cudaFree(dsfc);
    return 0;
}
