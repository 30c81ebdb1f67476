/* Batched tridiagonal solves (implicit vertical diffusion in many ocean columns).
 * One block per column: parallel cyclic reduction in shared memory, log2(nlev) sweeps. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define MAXLEV 256

static void die(cudaError_t e, int line)
{
    if (e != cudaSuccess) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); exit(1); }
}
#define T(x) die((x), __LINE__)

__global__ void __launch_bounds__(MAXLEV)
solve_columns(const double *__restrict__ lo, const double *__restrict__ di,
              const double *__restrict__ up, const double *__restrict__ rhs,
              double *__restrict__ sol, int nlev)
{
    __shared__ double a[MAXLEV], b[MAXLEV], c[MAXLEV], d[MAXLEV];
    const int k = threadIdx.x;
    const size_t o = (size_t)blockIdx.x * nlev;
    if (k < nlev) {
        double m = 1.0 / di[o + k];
        a[k] = lo[o + k] * m;
        b[k] = 1.0;
        c[k] = up[o + k] * m;
        d[k] = rhs[o + k] * m;
    }
    __syncthreads();
    for (int s = 1; s < nlev; s <<= 1) {
        if (k < nlev) {
            double na = 0.0, nc = 0.0, nb = b[k], nd = d[k];
            if (k - s >= 0) {
                double f = a[k] / b[k - s];
                na = -f * a[k - s];
                nb -= f * c[k - s];
                nd -= f * d[k - s];
            }
            if (k + s < nlev) {
                double f = c[k] / b[k + s];
                nc = -f * c[k + s];
                nb -= f * a[k + s];
                nd -= f * d[k + s];
            }
            a[k] = na;
            b[k] = nb;
            c[k] = nc;
            d[k] = nd;
        }
        __syncthreads();
    }
    if (k < nlev) sol[o + k] = d[k] / b[k];
}

int main(void)
{
    const int nlev = 200, ncol = 600;
    size_t n = (size_t)nlev * ncol, bytes = n * sizeof(double);
    double *h = (double *)malloc(5 * bytes);
    double *lo = h, *di = h + n, *up = h + 2 * n, *rhs = h + 3 * n, *sol = h + 4 * n;
    for (int c = 0; c < ncol; c++)
        for (int k = 0; k < nlev; k++) {
            size_t i = (size_t)c * nlev + k;
            double ka = 0.4 + 0.35 * sin(0.13 * k + 0.01 * c);
            double kb = 0.4 + 0.35 * sin(0.13 * (k + 1) + 0.01 * c);
            lo[i] = k > 0 ? -ka : 0.0;
            up[i] = k < nlev - 1 ? -kb : 0.0;
            di[i] = 1.0 - lo[i] - up[i];
            rhs[i] = 10.0 + 8.0 * exp(-0.02 * k) + 0.5 * sin(0.7 * c + 0.3 * k);
        }
    double *d_lo, *d_di, *d_up, *d_rhs, *d_sol;
    T(cudaMalloc((void **)&d_lo, bytes));
    T(cudaMalloc((void **)&d_di, bytes));
    T(cudaMalloc((void **)&d_up, bytes));
    T(cudaMalloc((void **)&d_rhs, bytes));
    T(cudaMalloc((void **)&d_sol, bytes));
    T(cudaMemcpy(d_lo, lo, bytes, cudaMemcpyHostToDevice));
    T(cudaMemcpy(d_di, di, bytes, cudaMemcpyHostToDevice));
    T(cudaMemcpy(d_up, up, bytes, cudaMemcpyHostToDevice));
    T(cudaMemcpy(d_rhs, rhs, bytes, cudaMemcpyHostToDevice));

    const int tpb = (nlev + 31) / 32 * 32;
    solve_columns<<<ncol, tpb>>>(d_lo, d_di, d_up, d_rhs, d_sol, nlev);
    T(cudaGetLastError());
    T(cudaMemcpy(sol, d_sol, bytes, cudaMemcpyDeviceToHost));

    double res = 0, sum = 0;
    for (int c = 0; c < ncol; c++)
        for (int k = 0; k < nlev; k++) {
            size_t i = (size_t)c * nlev + k;
            double r = di[i] * sol[i] - rhs[i];
            if (k > 0) r += lo[i] * sol[i - 1];
            if (k < nlev - 1) r += up[i] * sol[i + 1];
            if (fabs(r) > res) res = fabs(r);
            sum += sol[i];
        }
    printf("max residual %s 1e-10, sum %.9f\n", res < 1e-10 ? "<" : ">=", sum);
    printf("%.8f %.8f %.8f\n", sol[0], sol[n / 2 + 17], sol[n - 1]);
    T(cudaFree(d_lo)); T(cudaFree(d_di)); T(cudaFree(d_up)); T(cudaFree(d_rhs)); T(cudaFree(d_sol));
    free(h);
    return 0;
}
