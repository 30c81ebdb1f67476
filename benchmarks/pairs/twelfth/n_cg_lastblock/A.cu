// Conjugate gradients for (I - c*Lap) u = f on a 2-D grid, homogeneous Dirichlet, matrix free.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHK(c) do { cudaError_t r_ = (c); if (r_) { printf("%s @%d\n", cudaGetErrorString(r_), __LINE__); exit(1); } } while (0)

const int NBLK = 48;
const int NTHR = 256;

__global__ void apply_op(int nx, int ny, double c, const double* p, double* q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny) return;
    int x = i % nx, y = i / nx;
    double l = x > 0 ? p[i - 1] : 0.0;
    double r = x < nx - 1 ? p[i + 1] : 0.0;
    double d = y > 0 ? p[i - nx] : 0.0;
    double u = y < ny - 1 ? p[i + nx] : 0.0;
    q[i] = p[i] + c * (4.0 * p[i] - l - r - d - u);
}

__global__ void dot_partial(int n, const double* a, const double* b, double* part)
{
    __shared__ double s[NTHR];
    double v = 0;
    for (int i = blockIdx.x * NTHR + threadIdx.x; i < n; i += NTHR * gridDim.x) v += a[i] * b[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int w = NTHR / 2; w; w /= 2) {
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

__global__ void axpy(int n, double a, const double* x, double* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

__global__ void xpby(int n, const double* x, double b, double* y)   // y = x + b*y
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + b * y[i];
}

double dot(int n, const double* a, const double* b, double* dpart)
{
    double h[NBLK], s = 0;
    dot_partial<<<NBLK, NTHR>>>(n, a, b, dpart);
    CHK(cudaMemcpy(h, dpart, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < NBLK; i++) s += h[i];
    return s;
}

int main()
{
    const int nx = 120, ny = 99, n = nx * ny, iters = 25;
    const double c = 6.5;
    std::vector<double> f(n), u(n);
    for (int i = 0; i < n; i++) f[i] = sin(0.05 * (i % nx)) * cos(0.08 * (i / nx)) + 0.1 * ((i * 37) % 11);

    double *x, *r, *p, *q, *part;
    size_t by = n * sizeof(double);
    CHK(cudaMalloc(&x, by)); CHK(cudaMalloc(&r, by)); CHK(cudaMalloc(&p, by)); CHK(cudaMalloc(&q, by));
    CHK(cudaMalloc(&part, NBLK * sizeof(double)));
    CHK(cudaMemset(x, 0, by));
    CHK(cudaMemcpy(r, f.data(), by, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(p, f.data(), by, cudaMemcpyHostToDevice));

    int g = (n + NTHR - 1) / NTHR;
    double rr = dot(n, r, r, part);
    const double rr0 = rr;
    for (int it = 0; it < iters; it++) {
        apply_op<<<g, NTHR>>>(nx, ny, c, p, q);
        double alpha = rr / dot(n, p, q, part);
        axpy<<<g, NTHR>>>(n, alpha, p, x);
        axpy<<<g, NTHR>>>(n, -alpha, q, r);
        double rn = dot(n, r, r, part);
        xpby<<<g, NTHR>>>(n, r, rn / rr, p);
        rr = rn;
    }
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(u.data(), x, by, cudaMemcpyDeviceToHost));
    double s = 0;
    for (double v : u) s += v;
    printf("rel residual %.6e\n", sqrt(rr / rr0));
    printf("sum %.10f  mid %.10f\n", s, u[(ny / 2) * nx + nx / 2]);
    CHK(cudaFree(x)); CHK(cudaFree(r)); CHK(cudaFree(p)); CHK(cudaFree(q)); CHK(cudaFree(part));
    return 0;
}
