// D2Q9 lattice Boltzmann, periodic box, decaying shear wave; the kinetic energy is
// recorded every few steps.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CU(e) { cudaError_t _r = (e); if (_r != cudaSuccess) { \
    fprintf(stderr, "cuda: %s (line %d)\n", cudaGetErrorString(_r), __LINE__); exit(1); } }

__constant__ int   CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int   CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float W[9]  = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9,
                            1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__device__ float equilibrium(int q, float rho, float ux, float uy)
{
    float cu = CX[q] * ux + CY[q] * uy;
    return W[q] * rho * (1.f + 3.f * cu + 4.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
}

__global__ void init(float *f, int nx, int ny, float u0)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    float ux = u0 * sinf(6.2831853f * y / ny);
    float uy = 0.1f * u0 * cosf(6.2831853f * 3 * x / nx);
    for (int q = 0; q < 9; ++q) f[(q * ny + y) * nx + x] = equilibrium(q, 1.f, ux, uy);
}

__global__ void step(const float *src, float *dst, int nx, int ny, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    float f[9], rho = 0.f, ux = 0.f, uy = 0.f;
    for (int q = 0; q < 9; ++q) {
        int xs = (x - CX[q] + nx) % nx;
        int ys = (y - CY[q] + ny) % ny;
        f[q] = src[(q * ny + ys) * nx + xs];
        rho += f[q];
        ux += CX[q] * f[q];
        uy += CY[q] * f[q];
    }
    ux /= rho;
    uy /= rho;
    for (int q = 0; q < 9; ++q)
        dst[(q * ny + y) * nx + x] = f[q] + omega * (equilibrium(q, rho, ux, uy) - f[q]);
}

// kinetic energy of every line of the lattice
__global__ void energy(const float *f, int nx, int ny, double *line)
{
    __shared__ double part[128];
    int y = blockIdx.x;
    double e = 0.0;
    for (int x = threadIdx.x; x < nx; x += blockDim.x) {
        float rho = 0.f, mx = 0.f, my = 0.f;
        for (int q = 0; q < 9; ++q) {
            float v = f[(q * ny + y) * nx + x];
            rho += v;
            mx += CX[q] * v;
            my += CY[q] * v;
        }
        e += 0.5 * (mx * mx + my * my) / rho;
    }
    part[threadIdx.x] = e;
    __syncthreads();
    for (int s = 64; s; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) line[y] = part[0];
}

int main()
{
    const int nx = 176, ny = 112, steps = 48, every = 8;
    const float omega = 1.6f;
    const size_t bytes = sizeof(float) * 9 * nx * ny;

    float *f[2];
    double *line, *host;
    CU(cudaMalloc(&f[0], bytes));
    CU(cudaMalloc(&f[1], bytes));
    CU(cudaMalloc(&line, ny * sizeof(double)));
    CU(cudaMallocHost(&host, (steps / every) * ny * sizeof(double)));

    cudaStream_t st;
    CU(cudaStreamCreate(&st));
    dim3 blk(64), grd((nx + 63) / 64, ny);
    init<<<grd, blk, 0, st>>>(f[0], nx, ny, 0.05f);

    int cur = 0, rec = 0;
    for (int s = 1; s <= steps; ++s) {
        step<<<grd, blk, 0, st>>>(f[cur], f[cur ^ 1], nx, ny, omega);
        cur ^= 1;
        if (s % every == 0) {
            energy<<<ny, 128, 0, st>>>(f[cur], nx, ny, line);
            CU(cudaMemcpyAsync(host + (size_t)rec++ * ny, line, ny * sizeof(double), cudaMemcpyDeviceToHost, st));
        }
    }
    CU(cudaGetLastError());
    CU(cudaStreamSynchronize(st));

    for (int r = 0; r < rec; ++r) {
        double e = 0;
        for (int y = 0; y < ny; ++y) e += host[(size_t)r * ny + y];
        printf("step %3d  kinetic energy %.8f\n", (r + 1) * every, e);
    }
    std::vector<float> out(9 * nx * ny);
    CU(cudaMemcpy(out.data(), f[cur], bytes, cudaMemcpyDeviceToHost));
    double mass = 0;
    for (float v : out) mass += v;
    printf("mass %.5f\n", mass);
    CU(cudaStreamDestroy(st));
    CU(cudaFreeHost(host));
    CU(cudaFree(f[0])); CU(cudaFree(f[1])); CU(cudaFree(line));
    return 0;
}
