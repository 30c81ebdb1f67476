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

// Each block owns a 32x8 column of cells and marches through SLAB planes in z. The plane being
// updated sits in shared memory with a one-cell rim; the planes below and above in registers.
constexpr int BX = 32, BY = 8, SLAB = 10;

struct Cell { real c, k; };

__device__ __forceinline__ Cell fetch(const real* __restrict__ c, const real* __restrict__ kap, int id)
{
    Cell r;
    r.c = __ldg(c + id);
    r.k = __ldg(kap + id);
    return r;
}

__global__ void __launch_bounds__(BX * BY)
diffuse(const real* __restrict__ c, const real* __restrict__ kap, real* __restrict__ out,
        int nx, int ny, int nz, real r)
{
    __shared__ real sc[BY + 2][BX + 2];
    __shared__ real sk[BY + 2][BX + 2];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.x * BX + tx, j = blockIdx.y * BY + ty;
    const int k0 = blockIdx.z * SLAB;
    const int k1 = min(k0 + SLAB, nz);
    const bool in = i < nx && j < ny;
    const int sy = nx, sz = nx * ny;
    int id = i + j * sy + k0 * sz;

    Cell lo{0, 0}, mid{0, 0}, hi{0, 0};
    if (in) {
        if (k0 > 0) lo = fetch(c, kap, id - sz);
        mid = fetch(c, kap, id);
    }
    for (int k = k0; k < k1; ++k, id += sz) {
        if (in && k < nz - 1) hi = fetch(c, kap, id + sz);

        sc[ty + 1][tx + 1] = mid.c;
        sk[ty + 1][tx + 1] = mid.k;
        if (in) {
            if (tx == 0 && i > 0) {
                sc[ty + 1][0] = c[id - 1];
                sk[ty + 1][0] = kap[id - 1];
            }
            if (tx == BX - 1 && i < nx - 1) {
                sc[ty + 1][BX + 1] = c[id + 1];
                sk[ty + 1][BX + 1] = kap[id + 1];
            }
            if (ty == 0 && j > 0) {
                sc[0][tx + 1] = c[id - sy];
                sk[0][tx + 1] = kap[id - sy];
            }
            if (ty == BY - 1 && j < ny - 1) {
                sc[BY + 1][tx + 1] = c[id + sy];
                sk[BY + 1][tx + 1] = kap[id + sy];
            }
        }
        __syncthreads();

        if (in) {
            real flux = 0;
            if (i > 0)      flux += 0.5 * (mid.k + sk[ty + 1][tx]) * (sc[ty + 1][tx] - mid.c);
            if (i < nx - 1) flux += 0.5 * (mid.k + sk[ty + 1][tx + 2]) * (sc[ty + 1][tx + 2] - mid.c);
            if (j > 0)      flux += 0.5 * (mid.k + sk[ty][tx + 1]) * (sc[ty][tx + 1] - mid.c);
            if (j < ny - 1) flux += 0.5 * (mid.k + sk[ty + 2][tx + 1]) * (sc[ty + 2][tx + 1] - mid.c);
            if (k > 0)      flux += 0.5 * (mid.k + lo.k) * (lo.c - mid.c);
            if (k < nz - 1) flux += 0.5 * (mid.k + hi.k) * (hi.c - mid.c);
            out[id] = mid.c + r * flux;
        }
        lo = mid;
        mid = hi;
        __syncthreads();      // the plane in shared memory is replaced next
    }
}

static void step(const real* c, const real* kap, real* out, int nx, int ny, int nz, real r)
{
    dim3 b(BX, BY);
    dim3 g((nx + BX - 1) / BX, (ny + BY - 1) / BY, (nz + SLAB - 1) / SLAB);
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
