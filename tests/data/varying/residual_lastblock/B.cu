// Jacobi for the Poisson equation on a square, with the update norm printed per sweep.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define SAFE(call) do { cudaError_t e = call; if (cudaSuccess != e) { fprintf(stderr, "%s at %d\n", cudaGetErrorString(e), __LINE__); exit(EXIT_FAILURE); } } while (0)

constexpr int BX = 32, BY = 8, NT = BX * BY;

__device__ double block_sum(double v)                   // valid in thread 0
{
    __shared__ double w[NT / 32];
    const int t = threadIdx.y * BX + threadIdx.x;
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();                                    // w may still be read from an earlier call
    if ((t & 31) == 0) w[t >> 5] = v;
    __syncthreads();
    v = t < NT / 32 ? w[t] : 0.0;
    if (t < 32)
#pragma unroll
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

// Sweep and update norm in one pass. Blocks leave partial sums; the block that finishes last adds
// them up in a fixed order and re-arms the counter for the next sweep.
__global__ void __launch_bounds__(NT)
jacobi_norm(const double* __restrict__ u, const double* __restrict__ f, double* __restrict__ un, int n,
            double h2, double* partial, unsigned* arrived, double* norm2)
{
    __shared__ bool last;
    const int i = blockIdx.x * BX + threadIdx.x;
    const int j = blockIdx.y * BY + threadIdx.y;
    const int t = threadIdx.y * BX + threadIdx.x;
    double d2 = 0.0;
    if (i >= 1 && j >= 1 && i < n - 1 && j < n - 1) {
        const int k = j * n + i;
        const double v = 0.25 * (u[k - 1] + u[k + 1] + u[k - n] + u[k + n] + h2 * f[k]);
        const double d = v - u[k];
        un[k] = v;
        d2 = d * d;
    }
    const double s = block_sum(d2);
    const unsigned nblocks = gridDim.x * gridDim.y;
    if (t == 0) {
        partial[blockIdx.y * gridDim.x + blockIdx.x] = s;
        __threadfence();
        last = atomicAdd(arrived, 1u) == nblocks - 1;
    }
    __syncthreads();
    if (!last) return;                                  // the same for the whole block

    __threadfence();
    volatile const double* p = partial;
    double acc = 0.0;
    for (unsigned b = t; b < nblocks; b += NT) acc += p[b];
    acc = block_sum(acc);
    if (t == 0) {
        *norm2 = acc;
        *arrived = 0;
    }
}

int main()
{
    const int n = 161, sweeps = 4;
    const double h = 1.0 / (n - 1);
    std::vector<double> u(n * n, 0.0), f(n * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            f[j * n + i] = 8.0 * M_PI * M_PI * sin(2 * M_PI * i * h) * sin(2 * M_PI * j * h);
            if (i == 0 || j == 0 || i == n - 1 || j == n - 1) u[j * n + i] = 0.01 * cos(3.0 * i * h) + 0.02 * j * h;
        }
    dim3 blk(BX, BY), grd((n + BX - 1) / BX, (n + BY - 1) / BY);
    double *a, *b, *df, *dn, *dpart;
    unsigned* darr;
    size_t bytes = n * n * sizeof(double);
    SAFE(cudaMalloc(&a, bytes));
    SAFE(cudaMalloc(&b, bytes));
    SAFE(cudaMalloc(&df, bytes));
    SAFE(cudaMalloc(&dn, sweeps * sizeof(double)));
    SAFE(cudaMemcpy(a, u.data(), bytes, cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    SAFE(cudaMemcpy(df, f.data(), bytes, cudaMemcpyHostToDevice));
    SAFE(cudaMalloc(&dpart, grd.x * grd.y * sizeof(double)));
    SAFE(cudaMalloc(&darr, sizeof(unsigned)));
    SAFE(cudaMemset(darr, 0, sizeof(unsigned)));

    for (int s = 0; s < sweeps; s++) {
        jacobi_norm<<<grd, blk>>>(a, df, b, n, h * h, dpart, darr, dn + s);
        std::swap(a, b);
    }
    SAFE(cudaGetLastError());
    std::vector<double> norm2(sweeps);
    SAFE(cudaMemcpy(norm2.data(), dn, sweeps * sizeof(double), cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(u.data(), a, bytes, cudaMemcpyDeviceToHost));
    for (int s = 0; s < sweeps; s++) printf("sweep %d |du| = %.9e\n", s, sqrt(norm2[s]));
    double sum = 0;
    for (double x : u) sum += fabs(x);
    printf("sum|u| = %.12f  u[mid] = %.12f\n", sum, u[(n / 4) * n + n / 4]);
    cudaFree(a); cudaFree(b); cudaFree(df); cudaFree(dn); cudaFree(dpart); cudaFree(darr);
    return 0;
}
