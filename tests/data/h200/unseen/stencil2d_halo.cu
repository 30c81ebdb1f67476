// 2-D five point heat stencil, shared memory tile with halo, odd size grid.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define BX 32
#define BY 8
#define IDX(i, j) ((i) * nx + (j))

__global__ void heat_step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, float alpha)
{
    __shared__ float tile[BY + 2][BX + 2];

    int j = blockIdx.x * BX + threadIdx.x;
    int i = blockIdx.y * BY + threadIdx.y;
    int lj = threadIdx.x + 1;
    int li = threadIdx.y + 1;

    if (i < ny && j < nx) {
        tile[li][lj] = in[IDX(i, j)];
        if (threadIdx.x == 0)
            tile[li][0] = (j > 0) ? in[IDX(i, j - 1)] : 0.0f;
        if (threadIdx.x == BX - 1 || j == nx - 1)
            tile[li][lj + 1] = (j < nx - 1) ? in[IDX(i, j + 1)] : 0.0f;
        if (threadIdx.y == 0)
            tile[0][lj] = (i > 0) ? in[IDX(i - 1, j)] : 0.0f;
        if (threadIdx.y == BY - 1 || i == ny - 1)
            tile[li + 1][lj] = (i < ny - 1) ? in[IDX(i + 1, j)] : 0.0f;
    }
    __syncthreads();

    if (i >= ny || j >= nx) return;
    float c = tile[li][lj];
    float lap = tile[li - 1][lj] + tile[li + 1][lj]
              + tile[li][lj - 1] + tile[li][lj + 1] - 4.0f * c;
    out[IDX(i, j)] = c + alpha * lap;
}

int main()
{
    const int nx = 301, ny = 157, steps = 4;
    const float alpha = 0.2f;
    std::vector<float> h(nx * ny), ref, tmp(nx * ny), res(nx * ny);
    for (int i = 0; i < ny; i++)
        for (int j = 0; j < nx; j++)
            h[IDX(i, j)] = (float)((i * 37 + j * 11) % 101) / 10.0f;
    ref = h;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < ny; i++)
            for (int j = 0; j < nx; j++) {
                float c = ref[IDX(i, j)];
                float u = i > 0 ? ref[IDX(i - 1, j)] : 0, d = i < ny - 1 ? ref[IDX(i + 1, j)] : 0;
                float l = j > 0 ? ref[IDX(i, j - 1)] : 0, r = j < nx - 1 ? ref[IDX(i, j + 1)] : 0;
                tmp[IDX(i, j)] = c + alpha * (u + d + l + r - 4.0f * c);
            }
        std::swap(ref, tmp);
    }
    float *a, *b;
    cudaMalloc(&a, sizeof(float) * nx * ny);
    cudaMalloc(&b, sizeof(float) * nx * ny);
    cudaMemcpy(a, h.data(), sizeof(float) * nx * ny, cudaMemcpyHostToDevice);
    dim3 block(BX, BY), grid((nx + BX - 1) / BX, (ny + BY - 1) / BY);
    for (int s = 0; s < steps; s++) {
        heat_step<<<grid, block>>>(a, b, nx, ny, alpha);
        std::swap(a, b);
    }
    cudaMemcpy(res.data(), a, sizeof(float) * nx * ny, cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int k = 0; k < nx * ny; k++) worst = fmax(worst, fabs((double)res[k] - ref[k]));
    bool ok = cudaGetLastError() == cudaSuccess && worst < 1e-3;
    printf("stencil2d_halo %s\n", ok ? "PASS" : "FAIL");
    cudaFree(a); cudaFree(b);
    return ok ? 0 : 1;
}
