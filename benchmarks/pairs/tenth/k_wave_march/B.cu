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

// A block owns a 32x8 column of the box and marches through a slab of planes: the plane in
// hand lies in shared memory with its halo, the planes around it in registers.
#define BX 32
#define BY 8
#define SLAB 12

__global__ void __launch_bounds__(BX * BY) wave(const float *__restrict__ cur, const float *__restrict__ vel2,
                                                float *__restrict__ prev, dims_t d)
{
    __shared__ float pl[2][BY + 2 * R][BX + 2 * R];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
    const int sy = d.nx, sz = d.nx * d.ny;
    const int z0 = R + blockIdx.z * SLAB;
    const int z1 = min(z0 + SLAB, d.nz - R);
    if (z0 >= z1) return;                                  // the whole block

    const bool have = x < d.nx && y < d.ny;
    const bool inner = x >= R && y >= R && x < d.nx - R && y < d.ny - R;
    const int i2 = y * sy + x;

    // q[0..2R] = this column at planes z-R .. z+R
    float q[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; k++) q[k + 1] = have ? cur[(z0 - R + k) * sz + i2] : 0.f;

    int b = 0;
    for (int z = z0; z < z1; z++, b ^= 1) {
#pragma unroll
        for (int k = 0; k < 2 * R; k++) q[k] = q[k + 1];
        q[2 * R] = have ? cur[(z + R) * sz + i2] : 0.f;

        const float *plane = cur + (size_t)z * sz;
        pl[b][ty + R][tx + R] = q[R];
        if (tx < R) {                                      // left and right halo
            if (x >= R && y < d.ny) pl[b][ty + R][tx] = plane[y * sy + x - R];
            if (x + BX < d.nx && y < d.ny) pl[b][ty + R][tx + BX + R] = plane[y * sy + x + BX];
        }
        if (ty < R) {                                      // upper and lower halo
            if (y >= R && x < d.nx) pl[b][ty][tx + R] = plane[(y - R) * sy + x];
            if (y + BY < d.ny && x < d.nx) pl[b][ty + BY + R][tx + R] = plane[(y + BY) * sy + x];
        }
        __syncthreads();                                   // two buffers: one barrier per plane

        if (inner) {
            float lap = 3.0f * coef[0] * q[R];
#pragma unroll
            for (int k = 1; k <= R; k++)
                lap += coef[k] * (pl[b][ty + R][tx + R - k] + pl[b][ty + R][tx + R + k] +
                                  pl[b][ty + R - k][tx + R] + pl[b][ty + R + k][tx + R] + q[R - k] + q[R + k]);
            int i = z * sz + i2;
            prev[i] = 2.0f * q[R] - prev[i] + vel2[i] * lap;   // prev becomes next
        }
    }
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

    dim3 blk(BX, BY);
    dim3 grd((d.nx + BX - 1) / BX, (d.ny + BY - 1) / BY, (d.nz - 2 * R + SLAB - 1) / SLAB);
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
