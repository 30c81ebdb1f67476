/* Conjugate gradients for the 2-D Poisson problem (5-point, Dirichlet), matrix free.
 * All scalars stay on the device; the host only drives the loop. */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static void must(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(e));
        std::exit(2);
    }
}

constexpr int TPB = 256;

struct Scalars {
    double rr;      // r.r of the current residual
    double rr_new;  // r.r after the update
    double pq;      // p.Ap
};

__device__ double block_sum(double v)
{
    __shared__ double buf[TPB];
    buf[threadIdx.x] = v;
    __syncthreads();
    for (int s = TPB / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    return buf[0];
}

__global__ void apply_laplace(const double *p, double *q, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny) return;
    int x = i % nx, y = i / nx;
    double v = 4.0 * p[i];
    if (x > 0)      v -= p[i - 1];
    if (x < nx - 1) v -= p[i + 1];
    if (y > 0)      v -= p[i - nx];
    if (y < ny - 1) v -= p[i + nx];
    q[i] = v;
}

__global__ void dot(const double *a, const double *b, int n, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = i < n ? a[i] * b[i] : 0.0;
    v = block_sum(v);
    if (threadIdx.x == 0) atomicAdd(out, v);
}

__global__ void update_xr(double *x, double *r, const double *p, const double *q, const Scalars *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double alpha = s->rr / s->pq;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

__global__ void update_p(double *p, const double *r, const Scalars *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double beta = s->rr_new / s->rr;
    p[i] = r[i] + beta * p[i];
}

__global__ void roll(Scalars *s) { s->rr = s->rr_new; }

int main()
{
    const int nx = 130, ny = 100, n = nx * ny, iters = 20;
    std::vector<double> b(n), sol(n);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
            b[y * nx + x] = std::sin(0.05 * x) * std::cos(0.08 * y) + ((x * 7 + y * 13) % 11) * 0.01;

    double *x, *r, *p, *q;
    Scalars *s;
    must(cudaMalloc(&x, n * sizeof(double)), "malloc x");
    must(cudaMalloc(&r, n * sizeof(double)), "malloc r");
    must(cudaMalloc(&p, n * sizeof(double)), "malloc p");
    must(cudaMalloc(&q, n * sizeof(double)), "malloc q");
    must(cudaMalloc(&s, sizeof(Scalars)), "malloc s");
    must(cudaMemset(x, 0, n * sizeof(double)), "memset x");
    must(cudaMemset(s, 0, sizeof(Scalars)), "memset s");
    must(cudaMemcpy(r, b.data(), n * sizeof(double), cudaMemcpyHostToDevice), "copy r");
    must(cudaMemcpy(p, b.data(), n * sizeof(double), cudaMemcpyHostToDevice), "copy p");

    const int grid = (n + TPB - 1) / TPB;
    dot<<<grid, TPB>>>(r, r, n, &s->rr);

    for (int it = 0; it < iters; ++it) {
        must(cudaMemsetAsync(&s->rr_new, 0, 2 * sizeof(double)), "clear rr_new, pq");
        apply_laplace<<<grid, TPB>>>(p, q, nx, ny);
        dot<<<grid, TPB>>>(p, q, n, &s->pq);
        update_xr<<<grid, TPB>>>(x, r, p, q, s, n);
        dot<<<grid, TPB>>>(r, r, n, &s->rr_new);
        update_p<<<grid, TPB>>>(p, r, s, n);
        roll<<<1, 1>>>(s);
    }
    must(cudaGetLastError(), "launch");

    Scalars hs;
    must(cudaMemcpy(&hs, s, sizeof hs, cudaMemcpyDeviceToHost), "copy s");
    must(cudaMemcpy(sol.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost), "copy x");
    double sum = 0;
    for (double v : sol) sum += v;
    std::printf("after %d iterations: |r| = %.8e   sum(x) = %.10f   x[mid] = %.10f\n",
                iters, std::sqrt(hs.rr), sum, sol[n / 2]);
    cudaFree(x); cudaFree(r); cudaFree(p); cudaFree(q); cudaFree(s);
    return 0;
}
