// Conjugate gradients for the 2-D Poisson problem (5-point operator, Dirichlet), matrix free, double precision.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SAFE(c) do { if ((c) != cudaSuccess) { std::fprintf(stderr, "CUDA problem, line %d\n", __LINE__); std::exit(1); } } while (false)

const int TPB = 256;

__global__ void laplace(const double* p, double* q, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny) return;
    int x = i % nx, y = i / nx;
    double s = 4.0 * p[i];
    if (x > 0) s -= p[i - 1];
    if (x < nx - 1) s -= p[i + 1];
    if (y > 0) s -= p[i - nx];
    if (y < ny - 1) s -= p[i + nx];
    q[i] = s;
}

__global__ void dotPartial(const double* a, const double* b, int n, double* part)
{
    __shared__ double s[TPB];
    int i = blockIdx.x * TPB + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] * b[i] : 0.0;
    __syncthreads();
    for (int k = TPB / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

__global__ void updateXR(double* x, double* r, const double* p, const double* q, double alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] += alpha * p[i]; r[i] -= alpha * q[i]; }
}

__global__ void updateP(double* p, const double* r, double beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = r[i] + beta * p[i];
}

static double dot(const double* a, const double* b, int n, double* dPart, std::vector<double>& h)
{
    int nb = (int)h.size();
    dotPartial<<<nb, TPB>>>(a, b, n, dPart);
    SAFE(cudaMemcpy(h.data(), dPart, nb * sizeof(double), cudaMemcpyDeviceToHost));
    double s = 0;
    for (double v : h) s += v;
    return s;
}

int main()
{
    const int nx = 150, ny = 110, n = nx * ny, iters = 30, nb = (n + TPB - 1) / TPB;
    std::vector<double> f(n), part(nb);
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
    SAFE(cudaMemcpy(p, f.data(), n * sizeof(double), cudaMemcpyHostToDevice));

    double rr = dot(r, r, n, dPart, part);
    const double rr0 = rr;
    for (int k = 0; k < iters; ++k) {
        laplace<<<nb, TPB>>>(p, q, nx, ny);
        double alpha = rr / dot(p, q, n, dPart, part);
        updateXR<<<nb, TPB>>>(x, r, p, q, alpha, n);
        double rrNew = dot(r, r, n, dPart, part);
        updateP<<<nb, TPB>>>(p, r, rrNew / rr, n);
        rr = rrNew;
    }
    SAFE(cudaGetLastError());
    std::vector<double> h(n);
    SAFE(cudaMemcpy(h.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double v : h) sum += v;
    std::printf("relative residual after %d iterations: %.8e\n", iters, std::sqrt(rr / rr0));
    std::printf("sum x = %.8f   x[mid] = %.8f\n", sum, h[n / 2 + nx / 2]);
    cudaFree(x); cudaFree(r); cudaFree(p); cudaFree(q); cudaFree(dPart);
    return 0;
}
