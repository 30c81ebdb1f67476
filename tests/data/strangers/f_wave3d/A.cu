// Acoustic wave equation, 4th order in space, 2nd order in time, constant density, variable velocity.
#include <cstdio>
#include <cmath>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define CK(call) { cudaError_t err = call; if (err != cudaSuccess) { printf("fail %s line %d\n", cudaGetErrorString(err), __LINE__); return 1; } }

#define R 2
__constant__ float c_w[R + 1];

__global__ void wave_step(const float* __restrict__ cur, float* __restrict__ prv, const float* __restrict__ vel2,
                          int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < R || y < R || z < R || x >= nx - R || y >= ny - R || z >= nz - R) return;
    const int sy = nx, sz = nx * ny;
    const int i = z * sz + y * sy + x;
    float lap = 3.0f * c_w[0] * cur[i];
    for (int r = 1; r <= R; ++r)
        lap += c_w[r] * (cur[i - r] + cur[i + r] + cur[i - r * sy] + cur[i + r * sy] + cur[i - r * sz] + cur[i + r * sz]);
    prv[i] = 2.0f * cur[i] - prv[i] + vel2[i] * lap;
}

int main()
{
    const int nx = 72, ny = 60, nz = 52, steps = 8;
    const size_t n = (size_t)nx * ny * nz;
    std::vector<float> u(n, 0.f), v(n);
    for (int z = 0; z < nz; ++z) for (int y = 0; y < ny; ++y) for (int x = 0; x < nx; ++x) {
        size_t i = ((size_t)z * ny + y) * nx + x;
        float dx = x - 30.3f, dy = y - 28.1f, dz = z - 25.7f;
        float r2 = dx * dx + dy * dy + dz * dz;
        u[i] = (1.f - r2 / 18.f) * expf(-r2 / 36.f);
        v[i] = (z < nz / 2 ? 0.10f : 0.16f) + 0.0005f * (x % 13);
        if (x < R || y < R || z < R || x >= nx - R || y >= ny - R || z >= nz - R) u[i] = 0.f;
    }
    const float w[R + 1] = { -2.5f, 4.0f / 3.0f, -1.0f / 12.0f };
    CK(cudaMemcpyToSymbol(c_w, w, sizeof(w)));
    float *dc, *dp, *dv;
    CK(cudaMalloc(&dc, n * 4)); CK(cudaMalloc(&dp, n * 4)); CK(cudaMalloc(&dv, n * 4));
    CK(cudaMemcpy(dc, u.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dp, u.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, v.data(), n * 4, cudaMemcpyHostToDevice));
    dim3 blk(32, 4, 2), grd((nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2);
    for (int s = 0; s < steps; ++s) {
        wave_step<<<grd, blk>>>(dc, dp, dv, nx, ny, nz);
        std::swap(dc, dp);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(u.data(), dc, n * 4, cudaMemcpyDeviceToHost));
    double e = 0, m = 0;
    for (size_t i = 0; i < n; ++i) { e += (double)u[i] * u[i]; m = fmax(m, fabs((double)u[i])); }
    printf("field energy %.6f   max %.6f\n", e, m);
    printf("probe %.6f %.6f\n", u[((size_t)26 * ny + 28) * nx + 30], u[((size_t)10 * ny + 40) * nx + 50]);
    cudaFree(dc); cudaFree(dp); cudaFree(dv);
    return 0;
}
