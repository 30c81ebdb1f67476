// D2Q9 lattice Boltzmann (BGK), channel with a round obstacle, periodic in x and y,
// body force along x, half-way bounce back at solid cells.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define HANDLE(x) if ((x) != cudaSuccess) { printf("CUDA error at %d\n", __LINE__); exit(1); }

__constant__ int   CX[9]  = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
__constant__ int   CY[9]  = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
__constant__ int   OPP[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
__constant__ float W[9]   = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };

__global__ void collide(const float* f, float* g, const unsigned char* solid, int n, float omega, float force)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (solid[i]) { for (int q = 0; q < 9; ++q) g[i * 9 + q] = f[i * 9 + q]; return; }
    float rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; ++q) {
        float v = f[i * 9 + q];
        rho += v; ux += v * CX[q]; uy += v * CY[q];
    }
    ux = ux / rho + force / omega; uy /= rho;
    float usq = 1.5f * (ux * ux + uy * uy);
    for (int q = 0; q < 9; ++q) {
        float cu = 3.f * (CX[q] * ux + CY[q] * uy);
        float eq = W[q] * rho * (1.f + cu + 0.5f * cu * cu - usq);
        g[i * 9 + q] = f[i * 9 + q] + omega * (eq - f[i * 9 + q]);
    }
}

__global__ void stream(const float* g, float* f, const unsigned char* solid, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny) return;
    int x = i % nx, y = i / nx;
    for (int q = 0; q < 9; ++q) {
        if (solid[i]) { f[i * 9 + q] = g[i * 9 + q]; continue; }
        int sx = (x - CX[q] + nx) % nx, sy = (y - CY[q] + ny) % ny;
        int s = sy * nx + sx;
        f[i * 9 + q] = solid[s] ? g[i * 9 + OPP[q]] : g[s * 9 + q];
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
            for (int q = 0; q < 9; ++q) f[(size_t)i * 9 + q] = w[q] * (1.0f + 0.01f * ((x * 3 + y * 5) % 7));
        }
    float *a, *b; unsigned char* ds;
    HANDLE(cudaMalloc(&a, f.size() * sizeof(float)));
    HANDLE(cudaMalloc(&b, f.size() * sizeof(float)));
    HANDLE(cudaMalloc(&ds, n));
    HANDLE(cudaMemcpy(a, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(ds, solid.data(), n, cudaMemcpyHostToDevice));
    for (int t = 0; t < steps; ++t) {
        collide<<<(n + 255) / 256, 256>>>(a, b, ds, n, omega, force);
        stream<<<(n + 255) / 256, 256>>>(b, a, ds, nx, ny);
    }
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(f.data(), a, f.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double mass = 0, mx = 0, my = 0;
    for (int i = 0; i < n; ++i) {
        if (solid[i]) continue;
        const float* c = &f[(size_t)i * 9];
        for (int q = 0; q < 9; ++q) mass += c[q];
        mx += (double)c[1] - c[3] + c[5] - c[6] - c[7] + c[8];
        my += (double)c[2] - c[4] + c[5] + c[6] - c[7] - c[8];
    }
    printf("mass %.5f  momentum (%.5f, %.5f)\n", mass, mx, my);
    const float* c = &f[(size_t)(45 * nx + 70) * 9];
    printf("f at probe: %.6f %.6f %.6f %.6f\n", c[0], c[1], c[3], c[5]);
    cudaFree(a); cudaFree(b); cudaFree(ds);
    return 0;
}
