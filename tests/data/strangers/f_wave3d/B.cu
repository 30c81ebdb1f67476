// Acoustic wave equation, 4th order in space, 2nd order in time, constant density, variable velocity.
#include <cstdio>
#include <cmath>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define CK(call) { cudaError_t err = call; if (err != cudaSuccess) { printf("fail %s line %d\n", cudaGetErrorString(err), __LINE__); return 1; } }

#define R 2
__constant__ float c_w[R + 1];

#define TX 32
#define TY 8

// 2.5-D blocking: a thread block owns a TX x TY column and marches along z.
// The plane in work is staged in shared memory, the z neighbours wait in a register queue.
__global__ void __launch_bounds__(TX * TY)
wave_step(const float* __restrict__ cur, float* __restrict__ prv, const float* __restrict__ vel2,
          int nx, int ny, int nz)
{
    __shared__ float tile[TY + 2 * R][TX + 2 * R];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
    const int x = x0 + tx, y = y0 + ty;
    const int sz = nx * ny;
    const bool in   = x < nx && y < ny;
    const bool work = x >= R && y >= R && x < nx - R && y < ny - R;
    const int col = in ? y * nx + x : 0;

    float zm2 = 0.f, zm1 = cur[col], zc = cur[col + sz], zp1 = cur[col + 2 * sz], zp2 = cur[col + 3 * sz];
    for (int z = R; z < nz - R; ++z) {
        zm2 = zm1; zm1 = zc; zc = zp1; zp1 = zp2; zp2 = cur[col + (z + R) * sz];

        tile[ty + R][tx + R] = zc;
        const float* plane = cur + (size_t)z * sz;
        if (tx < 2 * R) {                       // left and right aprons
            int hx = tx < R ? tx : tx + TX;
            int gx = x0 + hx - R;
            tile[ty + R][hx] = (gx >= 0 && gx < nx && y < ny) ? plane[y * nx + gx] : 0.f;
        }
        if (ty < 2 * R) {                       // upper and lower aprons
            int hy = ty < R ? ty : ty + TY;
            int gy = y0 + hy - R;
            tile[hy][tx + R] = (gy >= 0 && gy < ny && x < nx) ? plane[gy * nx + x] : 0.f;
        }
        __syncthreads();

        if (work) {
            const int i = col + z * sz;
            float lap = 3.0f * c_w[0] * zc;
            lap += c_w[1] * (tile[ty + R][tx + R - 1] + tile[ty + R][tx + R + 1] +
                             tile[ty + R - 1][tx + R] + tile[ty + R + 1][tx + R] + zm1 + zp1);
            lap += c_w[2] * (tile[ty + R][tx + R - 2] + tile[ty + R][tx + R + 2] +
                             tile[ty + R - 2][tx + R] + tile[ty + R + 2][tx + R] + zm2 + zp2);
            prv[i] = 2.0f * zc - prv[i] + vel2[i] * lap;
        }
    }
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
    dim3 blk(TX, TY), grd((nx + TX - 1) / TX, (ny + TY - 1) / TY);
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
