// Conjugate gradients for the 2-D Poisson problem (5-point operator, Dirichlet), matrix free, double precision.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SAFE(c) do { if ((c) != cudaSuccess) { std::fprintf(stderr, "CUDA problem, line %d\n", __LINE__); std::exit(1); } } while (false)

const int TPB = 256;

struct Scalars { double rr, pq, rrNew, rr0; unsigned ticket; };

__device__ double blockSum(double v)
{
    __shared__ double w[TPB / 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < TPB / 32 ? w[threadIdx.x] : 0.0;
    if (threadIdx.x < 32)
        for (int o = TPB / 64; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();
    return v;                                   // valid in thread 0
}

// The block that draws the last ticket adds up the partial sums of all blocks.
__device__ void finishDot(double v, double* part, unsigned* ticket, double* result)
{
    __shared__ bool last;
    v = blockSum(v);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    double s = 0.0;
    for (int b = threadIdx.x; b < gridDim.x; b += TPB) s += part[b];
    s = blockSum(s);
    if (threadIdx.x == 0) { *result = s; *ticket = 0; }
}

__global__ void initDot(const double* r, int n, double* part, Scalars* sc)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    double v = i < n ? r[i] : 0.0;
    finishDot(v * v, part, &sc->ticket, &sc->rrNew);
}

// p = r + beta p (beta = 0 in the first iteration)
__global__ void updateP(double* p, const double* r, const Scalars* sc, int first, int n)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    if (i < n) p[i] = first ? r[i] : r[i] + sc->rrNew / sc->rr * p[i];
}

// q = A p together with p.q
__global__ void laplaceDot(const double* __restrict__ p, double* __restrict__ q, int nx, int ny, double* part, Scalars* sc)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    double v = 0.0;
    if (i < nx * ny) {
        int x = i % nx, y = i / nx;
        double c = p[i], s = 4.0 * c;
        if (x > 0) s -= p[i - 1];
        if (x < nx - 1) s -= p[i + 1];
        if (y > 0) s -= p[i - nx];
        if (y < ny - 1) s -= p[i + nx];
        q[i] = s;
        v = c * s;
    }
    finishDot(v, part, &sc->ticket, &sc->pq);
    if (blockIdx.x == 0 && threadIdx.x == 0) sc->rr = sc->rrNew;
}

// x += alpha p, r -= alpha q together with r.r
__global__ void updateXRDot(double* x, double* r, const double* p, const double* q, int n, double* part, Scalars* sc)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    double v = 0.0;
    if (i < n) {
        double alpha = sc->rr / sc->pq;
        x[i] += alpha * p[i];
        v = r[i] - alpha * q[i];
        r[i] = v;
    }
    finishDot(v * v, part, &sc->ticket, &sc->rrNew);
}

int main()
{
    const int nx = 150, ny = 110, n = nx * ny, iters = 30, nb = (n + TPB - 1) / TPB;
    std::vector<double> f(n);
    for (int y = 0; y < ny; ++y) for (int x = 0; x < nx; ++x)
        f[y * nx + x] = std::sin(0.05 * x) * std::cos(0.09 * y) + ((x * 13 + y * 7) % 17) * 0.01;
    double *x, *r, *p, *q, *dPart;
    SAFE(cudaMalloc(&x, n * sizeof(double)));
    SAFE(cudaMalloc(&r, n * sizeof(double)));
    SAFE(cudaMalloc(&p, n * sizeof(double)));
    SAFE(cudaMalloc(&q, n * sizeof(double)));
    SAFE(cudaMalloc(&dPart, nb * sizeof(double)));
    SAFE(cudaMemset(x, 0, n * sizeof(double)));
    SAFE(cudaMemcpy(r, f.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    Scalars* sc;
    SAFE(cudaMalloc(&sc, sizeof(Scalars)));
    SAFE(cudaMemset(sc, 0, sizeof(Scalars)));

    initDot<<<nb, TPB>>>(r, n, dPart, sc);
    SAFE(cudaMemcpy(&sc->rr0, &sc->rrNew, sizeof(double), cudaMemcpyDeviceToDevice));
    for (int k = 0; k < iters; ++k) {
        updateP<<<nb, TPB>>>(p, r, sc, k == 0, n);
        laplaceDot<<<nb, TPB>>>(p, q, nx, ny, dPart, sc);
        updateXRDot<<<nb, TPB>>>(x, r, p, q, n, dPart, sc);
    }
    SAFE(cudaGetLastError());
    std::vector<double> h(n);
    SAFE(cudaMemcpy(h.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost));
    Scalars hs;
    SAFE(cudaMemcpy(&hs, sc, sizeof(Scalars), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double v : h) sum += v;
    std::printf("relative residual after %d iterations: %.8e\n", iters, std::sqrt(hs.rrNew / hs.rr0));
    std::printf("sum x = %.8f   x[mid] = %.8f\n", sum, h[n / 2 + nx / 2]);
    cudaFree(x); cudaFree(r); cudaFree(p); cudaFree(q); cudaFree(dPart); cudaFree(sc);
    return 0;
}
