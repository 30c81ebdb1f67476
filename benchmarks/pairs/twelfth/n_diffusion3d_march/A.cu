// Explicit 3-D diffusion with variable diffusivity (face values by arithmetic mean), insulated box.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void cudaTry(cudaError_t e, const char* msg)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(e));
    exit(1);
}

typedef double real;

__global__ void diffuse(const real* c, const real* kap, real* out, int nx, int ny, int nz, real r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    const int sx = 1, sy = nx, sz = nx * ny;
    const int id = i + j * sy + k * sz;
    const real c0 = c[id], k0 = kap[id];
    real flux = 0;
    if (i > 0)      flux += 0.5 * (k0 + kap[id - sx]) * (c[id - sx] - c0);
    if (i < nx - 1) flux += 0.5 * (k0 + kap[id + sx]) * (c[id + sx] - c0);
    if (j > 0)      flux += 0.5 * (k0 + kap[id - sy]) * (c[id - sy] - c0);
    if (j < ny - 1) flux += 0.5 * (k0 + kap[id + sy]) * (c[id + sy] - c0);
    if (k > 0)      flux += 0.5 * (k0 + kap[id - sz]) * (c[id - sz] - c0);
    if (k < nz - 1) flux += 0.5 * (k0 + kap[id + sz]) * (c[id + sz] - c0);
    out[id] = c0 + r * flux;
}

static void step(const real* c, const real* kap, real* out, int nx, int ny, int nz, real r)
{
    dim3 b(8, 8, 4);
    dim3 g((nx + 7) / 8, (ny + 7) / 8, (nz + 3) / 4);
    diffuse<<<g, b>>>(c, kap, out, nx, ny, nz, r);
    cudaTry(cudaGetLastError(), "diffuse");
}

int main()
{
    const int nx = 101, ny = 66, nz = 50;
    const size_t n = (size_t)nx * ny * nz;
    std::vector<real> c(n), kap(n);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                size_t id = i + (size_t)nx * (j + (size_t)ny * k);
                c[id] = ((i / 9 + j / 7 + k / 5) % 3 == 0) ? 4.0 : 0.25;
                kap[id] = 0.5 + ((i * 3 + j * 5 + k * 11) % 17) / 17.0;
            }
    real *a, *b, *kp;
    cudaTry(cudaMalloc(&a, n * sizeof(real)), "malloc");
    cudaTry(cudaMalloc(&b, n * sizeof(real)), "malloc");
    cudaTry(cudaMalloc(&kp, n * sizeof(real)), "malloc");
    cudaTry(cudaMemcpy(a, c.data(), n * sizeof(real), cudaMemcpyHostToDevice), "copy c");
    cudaTry(cudaMemcpy(kp, kap.data(), n * sizeof(real), cudaMemcpyHostToDevice), "copy kap");
    for (int s = 0; s < 5; s++) {
        step(a, kp, b, nx, ny, nz, 0.09);
        real* t = a; a = b; b = t;
    }
    cudaTry(cudaMemcpy(c.data(), a, n * sizeof(real), cudaMemcpyDeviceToHost), "copy back");
    double mass = 0, sq = 0;
    for (real v : c) { mass += v; sq += v * v; }
    printf("mass %.8f  sumsq %.8f\n", mass, sq);
    for (size_t q = 0; q < n; q += n / 5) printf("c[%zu]=%.10f\n", q, c[q]);
    cudaFree(a); cudaFree(b); cudaFree(kp);
    return 0;
}
