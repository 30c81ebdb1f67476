// Jacobi for the Poisson equation on a square, with the update norm printed per sweep.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define SAFE(call) do { cudaError_t e = call; if (cudaSuccess != e) { fprintf(stderr, "%s at %d\n", cudaGetErrorString(e), __LINE__); exit(EXIT_FAILURE); } } while (0)

// kept from the Kepler days
__device__ double atomicAddDouble(double* address, double val)
{
    unsigned long long* p = (unsigned long long*)address;
    unsigned long long old = atomicAdd(p, 0ull), assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void jacobi(const double* u, const double* f, double* un, int n, double h2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
    int k = j * n + i;
    un[k] = 0.25 * (u[k - 1] + u[k + 1] + u[k - n] + u[k + n] + h2 * f[k]);
}

__global__ void diff_norm(const double* u, const double* un, int n, double* norm2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
    double d = un[j * n + i] - u[j * n + i];
    atomicAddDouble(norm2, d * d);
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
    double *a, *b, *df, *dn;
    size_t bytes = n * n * sizeof(double);
    SAFE(cudaMalloc(&a, bytes));
    SAFE(cudaMalloc(&b, bytes));
    SAFE(cudaMalloc(&df, bytes));
    SAFE(cudaMalloc(&dn, sweeps * sizeof(double)));
    SAFE(cudaMemcpy(a, u.data(), bytes, cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    SAFE(cudaMemcpy(df, f.data(), bytes, cudaMemcpyHostToDevice));
    SAFE(cudaMemset(dn, 0, sweeps * sizeof(double)));

    dim3 blk(16, 16), grd((n + 15) / 16, (n + 15) / 16);
    for (int s = 0; s < sweeps; s++) {
        jacobi<<<grd, blk>>>(a, df, b, n, h * h);
        diff_norm<<<grd, blk>>>(a, b, n, dn + s);
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
    cudaFree(a); cudaFree(b); cudaFree(df); cudaFree(dn);
    return 0;
}
