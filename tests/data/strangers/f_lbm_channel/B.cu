// D2Q9 lattice Boltzmann (BGK), channel with a round obstacle, periodic in x and y,
// body force along x, half-way bounce back at solid cells.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define HANDLE(x) if ((x) != cudaSuccess) { printf("CUDA error at %d\n", __LINE__); exit(1); }

// Populations are stored direction by direction (f[q * n + cell]); collision and streaming are
// one kernel: a cell collides in registers and pushes its populations to the neighbours of the
// other buffer. A population that would enter a solid cell comes back to the sender, turned round.
__global__ void __launch_bounds__(256)
collideStream(const float* __restrict__ f, float* __restrict__ g, const unsigned char* __restrict__ solid,
              int nx, int ny, float omega, float force)
{
    constexpr int   CX[9]  = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
    constexpr int   CY[9]  = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    constexpr int   OPP[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
    constexpr float W[9]   = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const int n = nx * ny, i = y * nx + x;
    float v[9];
#pragma unroll
    for (int q = 0; q < 9; ++q) v[q] = f[q * n + i];
    if (solid[i]) {                                    // nobody else writes to a solid cell
#pragma unroll
        for (int q = 0; q < 9; ++q) g[q * n + i] = v[q];
        return;
    }
    float rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < 9; ++q) { rho += v[q]; ux += v[q] * CX[q]; uy += v[q] * CY[q]; }
    ux = ux / rho + force / omega; uy /= rho;
    const float usq = 1.5f * (ux * ux + uy * uy);

    const int xs[3] = { x == 0 ? nx - 1 : x - 1, x, x == nx - 1 ? 0 : x + 1 };
    const int ys[3] = { y == 0 ? ny - 1 : y - 1, y, y == ny - 1 ? 0 : y + 1 };
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        float cu = 3.f * (CX[q] * ux + CY[q] * uy);
        float eq = W[q] * rho * (1.f + cu + 0.5f * cu * cu - usq);
        float o  = v[q] + omega * (eq - v[q]);
        int to = ys[1 + CY[q]] * nx + xs[1 + CX[q]];
        if (solid[to]) g[OPP[q] * n + i] = o;
        else           g[q * n + to] = o;
    }
}

int main()
{
    const int nx = 150, ny = 90, n = nx * ny, steps = 40;
    const float omega = 1.4f, force = 2e-5f;
    const float w[9] = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };
    std::vector<unsigned char> solid(n, 0);
    std::vector<float> f((size_t)n * 9);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            int i = y * nx + x;
            int dx = x - 40, dy = y - 43;
            solid[i] = (y == 0 || dx * dx + dy * dy < 121) ? 1 : 0;
            for (int q = 0; q < 9; ++q) f[(size_t)q * n + i] = w[q] * (1.0f + 0.01f * ((x * 3 + y * 5) % 7));
        }
    float *a, *b; unsigned char* ds;
    HANDLE(cudaMalloc(&a, f.size() * sizeof(float)));
    HANDLE(cudaMalloc(&b, f.size() * sizeof(float)));
    HANDLE(cudaMalloc(&ds, n));
    HANDLE(cudaMemcpy(a, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(ds, solid.data(), n, cudaMemcpyHostToDevice));
    dim3 blk(64, 4), grd((nx + 63) / 64, (ny + 3) / 4);
    for (int t = 0; t < steps; ++t) {
        collideStream<<<grd, blk>>>(a, b, ds, nx, ny, omega, force);
        std::swap(a, b);
    }
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(f.data(), a, f.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double mass = 0, mx = 0, my = 0;
    for (int i = 0; i < n; ++i) {
        if (solid[i]) continue;
        float c[9];
        for (int q = 0; q < 9; ++q) c[q] = f[(size_t)q * n + i];
        for (int q = 0; q < 9; ++q) mass += c[q];
        mx += (double)c[1] - c[3] + c[5] - c[6] - c[7] + c[8];
        my += (double)c[2] - c[4] + c[5] + c[6] - c[7] - c[8];
    }
    printf("mass %.5f  momentum (%.5f, %.5f)\n", mass, mx, my);
    const float* c = &f[45 * nx + 70];
    printf("f at probe: %.6f %.6f %.6f %.6f\n", c[0], c[n], c[3 * n], c[5 * n]);
    cudaFree(a); cudaFree(b); cudaFree(ds);
    return 0;
}
