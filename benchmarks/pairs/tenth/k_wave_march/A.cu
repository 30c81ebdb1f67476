// Acoustic wave in a 3-D box, fourth order in space, second order in time,
// pressure fixed at zero in the two outermost layers.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define R 2

typedef struct { int nx, ny, nz; } dims_t;

static inline void cuda_check(cudaError_t e, int l) { if (e) { printf("line %d: %s\n", l, cudaGetErrorString(e)); exit(1); } }
#define CC(e) cuda_check((e), __LINE__)

__constant__ float coef[R + 1];

__global__ void wave(const float *cur, const float *vel2, float *prev, dims_t d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < R || y < R || z < R || x >= d.nx - R || y >= d.ny - R || z >= d.nz - R) return;

    int sy = d.nx, sz = d.nx * d.ny;
    int i = z * sz + y * sy + x;
    float lap = 3.0f * coef[0] * cur[i];
    for (int k = 1; k <= R; k++)
        lap += coef[k] * (cur[i - k] + cur[i + k] + cur[i - k * sy] + cur[i + k * sy] + cur[i - k * sz] + cur[i + k * sz]);
    prev[i] = 2.0f * cur[i] - prev[i] + vel2[i] * lap;     // prev becomes next
}

int main(int argc, char **argv)
{
    (void)argc; (void)argv;
    dims_t d = {90, 70, 52};
    const int steps = 6;
    const size_t n = (size_t)d.nx * d.ny * d.nz;
    const float c[R + 1] = {-2.5f, 4.0f / 3.0f, -1.0f / 12.0f};
    CC(cudaMemcpyToSymbol(coef, c, sizeof(c)));

    std::vector<float> p0(n, 0.f), v2(n);
    for (int z = 0; z < d.nz; z++)
        for (int y = 0; y < d.ny; y++)
            for (int x = 0; x < d.nx; x++) {
                size_t i = ((size_t)z * d.ny + y) * d.nx + x;
                float dx = x - 40.f, dy = y - 30.f, dz = z - 25.f;
                if (x >= R && y >= R && z >= R && x < d.nx - R && y < d.ny - R && z < d.nz - R)
                    p0[i] = expf(-(dx * dx + dy * dy + dz * dz) / 150.f) + 0.01f * ((x * 3 + y * 5 + z * 7) % 13);
                v2[i] = z > 30 ? 0.16f : 0.09f + 0.0005f * y;
            }

    float *cur, *prev, *vel;
    CC(cudaMalloc((void **)&cur, n * sizeof(float)));
    CC(cudaMalloc((void **)&prev, n * sizeof(float)));
    CC(cudaMalloc((void **)&vel, n * sizeof(float)));
    CC(cudaMemcpy(cur, p0.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CC(cudaMemcpy(prev, p0.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CC(cudaMemcpy(vel, v2.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    dim3 blk(32, 4, 2);
    dim3 grd((d.nx + blk.x - 1) / blk.x, (d.ny + blk.y - 1) / blk.y, (d.nz + blk.z - 1) / blk.z);
    for (int s = 0; s < steps; s++) {
        wave<<<grd, blk>>>(cur, vel, prev, d);
        float *t = cur; cur = prev; prev = t;
    }
    CC(cudaGetLastError());
    CC(cudaMemcpy(p0.data(), cur, n * sizeof(float), cudaMemcpyDeviceToHost));

    double s1 = 0, s2 = 0;
    for (size_t i = 0; i < n; i++) { s1 += p0[i]; s2 += (double)p0[i] * p0[i]; }
    printf("sum %.5f  energy-like %.5f  probe %.7f %.7f\n", s1, s2,
           p0[((size_t)25 * d.ny + 30) * d.nx + 40], p0[((size_t)31 * d.ny + 12) * d.nx + 77]);
    cudaFree(cur); cudaFree(prev); cudaFree(vel);
    return 0;
}
