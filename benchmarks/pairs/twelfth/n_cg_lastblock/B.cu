// Conjugate gradients for (I - c*Lap) u = f on a 2-D grid, homogeneous Dirichlet, matrix free.
// Scalars stay on the device: each reduction is finished by the last block to arrive,
// so that an iteration is three launches without any host round trip.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHK(c) do { cudaError_t r_ = (c); if (r_) { printf("%s @%d\n", cudaGetErrorString(r_), __LINE__); exit(1); } } while (0)

const int NBLK = 48;
const int NTHR = 256;

struct Scalars {
    double rr;        // current <r,r>
    double pq;        // current <p,Ap>
    double beta;
    unsigned int ticket;
};

__device__ double block_sum(double v, double* s)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int w = NTHR / 2; w; w /= 2) {
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    double t = s[0];
    __syncthreads();
    return t;
}

// Returns true in the last block, with the grand total in *total (valid for thread 0).
__device__ bool grid_sum(double v, double* part, Scalars* sc, double* total)
{
    __shared__ double s[NTHR];
    __shared__ bool last;
    double t = block_sum(v, s);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = t;
        // wraps back to zero by itself for the next launch
        last = atomicInc(&sc->ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return false;
    double w = threadIdx.x < gridDim.x ? part[threadIdx.x] : 0.0;
    *total = block_sum(w, s);
    return true;
}

__global__ void init_rr(int n, const double* r, double* part, Scalars* sc)
{
    double v = 0, tot;
    for (int i = blockIdx.x * NTHR + threadIdx.x; i < n; i += NTHR * gridDim.x) v += r[i] * r[i];
    if (grid_sum(v, part, sc, &tot) && threadIdx.x == 0) sc->rr = tot;
}

__global__ void apply_dot(int nx, int ny, double c, const double* __restrict__ p, double* __restrict__ q,
                          double* part, Scalars* sc)
{
    double v = 0, tot;
    const int n = nx * ny;
    for (int i = blockIdx.x * NTHR + threadIdx.x; i < n; i += NTHR * gridDim.x) {
        int x = i % nx, y = i / nx;
        double m = p[i];
        double l = x > 0 ? p[i - 1] : 0.0;
        double r = x < nx - 1 ? p[i + 1] : 0.0;
        double d = y > 0 ? p[i - nx] : 0.0;
        double u = y < ny - 1 ? p[i + nx] : 0.0;
        double w = m + c * (4.0 * m - l - r - d - u);
        q[i] = w;
        v += m * w;
    }
    if (grid_sum(v, part, sc, &tot) && threadIdx.x == 0) sc->pq = tot;
}

__global__ void update_xr(int n, const double* __restrict__ p, const double* __restrict__ q,
                          double* __restrict__ x, double* __restrict__ r, double* part, Scalars* sc)
{
    const double alpha = sc->rr / sc->pq;
    double v = 0, tot;
    for (int i = blockIdx.x * NTHR + threadIdx.x; i < n; i += NTHR * gridDim.x) {
        x[i] += alpha * p[i];
        double t = r[i] - alpha * q[i];
        r[i] = t;
        v += t * t;
    }
    // all blocks have read rr and pq before they take their ticket
    if (grid_sum(v, part, sc, &tot) && threadIdx.x == 0) {
        sc->beta = tot / sc->rr;
        sc->rr = tot;
    }
}

__global__ void update_p(int n, const double* __restrict__ r, const Scalars* __restrict__ sc, double* p)
{
    const double b = sc->beta;
    for (int i = blockIdx.x * NTHR + threadIdx.x; i < n; i += NTHR * gridDim.x) p[i] = r[i] + b * p[i];
}

int main()
{
    const int nx = 120, ny = 99, n = nx * ny, iters = 25;
    const double c = 6.5;
    std::vector<double> f(n), u(n);
    for (int i = 0; i < n; i++) f[i] = sin(0.05 * (i % nx)) * cos(0.08 * (i / nx)) + 0.1 * ((i * 37) % 11);

    double *x, *r, *p, *q, *part;
    Scalars *sc, h;
    size_t by = n * sizeof(double);
    CHK(cudaMalloc(&x, by)); CHK(cudaMalloc(&r, by)); CHK(cudaMalloc(&p, by)); CHK(cudaMalloc(&q, by));
    CHK(cudaMalloc(&part, NBLK * sizeof(double)));
    CHK(cudaMalloc(&sc, sizeof(Scalars)));
    CHK(cudaMemset(x, 0, by));
    CHK(cudaMemset(sc, 0, sizeof(Scalars)));
    CHK(cudaMemcpy(r, f.data(), by, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(p, f.data(), by, cudaMemcpyHostToDevice));

    init_rr<<<NBLK, NTHR>>>(n, r, part, sc);
    CHK(cudaMemcpy(&h, sc, sizeof h, cudaMemcpyDeviceToHost));
    const double rr0 = h.rr;
    for (int it = 0; it < iters; it++) {
        apply_dot<<<NBLK, NTHR>>>(nx, ny, c, p, q, part, sc);
        update_xr<<<NBLK, NTHR>>>(n, p, q, x, r, part, sc);
        update_p<<<NBLK, NTHR>>>(n, r, sc, p);
    }
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(&h, sc, sizeof h, cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(u.data(), x, by, cudaMemcpyDeviceToHost));
    double s = 0;
    for (double v : u) s += v;
    printf("rel residual %.6e\n", sqrt(h.rr / rr0));
    printf("sum %.10f  mid %.10f\n", s, u[(ny / 2) * nx + nx / 2]);
    CHK(cudaFree(x)); CHK(cudaFree(r)); CHK(cudaFree(p)); CHK(cudaFree(q)); CHK(cudaFree(part)); CHK(cudaFree(sc));
    return 0;
}
