// 2-D shallow water, first order Rusanov fluxes, reflecting walls, CFL-controlled time step.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <utility>
#include <cuda_runtime.h>

#define GPU(x) gpuCheck((x), #x)
static void gpuCheck(cudaError_t e, const char* s) { if (e != cudaSuccess) { fprintf(stderr, "%s -> %s\n", s, cudaGetErrorString(e)); exit(1); } }

struct Cell { float h, hu, hv; };
static const float CFL = 0.45f;
#define GRAV 9.81f

__device__ inline float speedOf(const Cell& c)
{
    float u = c.hu / c.h, v = c.hv / c.h;
    return fmaxf(fabsf(u), fabsf(v)) + sqrtf(GRAV * c.h);
}

__device__ inline Cell fluxX(const Cell& c)
{
    float u = c.hu / c.h;
    return Cell{ c.hu, c.hu * u + 0.5f * GRAV * c.h * c.h, c.hv * u };
}

__device__ inline Cell fluxY(const Cell& c)
{
    float v = c.hv / c.h;
    return Cell{ c.hv, c.hu * v, c.hv * v + 0.5f * GRAV * c.h * c.h };
}

__device__ inline Cell rusanov(const Cell& l, const Cell& r, bool alongX)
{
    Cell fl = alongX ? fluxX(l) : fluxY(l), fr = alongX ? fluxX(r) : fluxY(r);
    float a = fmaxf(speedOf(l), speedOf(r));
    return Cell{ 0.5f * (fl.h + fr.h) - 0.5f * a * (r.h - l.h),
                 0.5f * (fl.hu + fr.hu) - 0.5f * a * (r.hu - l.hu),
                 0.5f * (fl.hv + fr.hv) - 0.5f * a * (r.hv - l.hv) };
}

__device__ inline void publishMax(float v, int* slot)
{
    __shared__ float part[8];
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    if ((t & 31) == 0) part[t >> 5] = v;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; ++k) v = fmaxf(v, part[k]);
        atomicMax(slot, __float_as_int(v));     // speeds are positive: the bit patterns are ordered
    }
}

__global__ void firstSpeed(const Cell* q, int n, int* slot)
{
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    publishMax(i < n ? speedOf(q[i]) : 0.0f, slot);
}

// One pass: advance with the wave speed in speed[cur] and, from the new states,
// collect the wave speed for the next step in speed[cur ^ 1]. No trip to the host.
__global__ void advance(const Cell* __restrict__ q, Cell* __restrict__ out, int nx, int ny, float cfl,
                        int* speed, int cur, float* dtSum)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float lambda = cfl / __int_as_float(speed[cur]);
    float sp = 0.0f;
    if (x < nx && y < ny) {
        Cell c = q[y * nx + x];
        Cell w = x > 0 ? q[y * nx + x - 1] : Cell{ c.h, -c.hu, c.hv };
        Cell e = x < nx - 1 ? q[y * nx + x + 1] : Cell{ c.h, -c.hu, c.hv };
        Cell s = y > 0 ? q[(y - 1) * nx + x] : Cell{ c.h, c.hu, -c.hv };
        Cell n = y < ny - 1 ? q[(y + 1) * nx + x] : Cell{ c.h, c.hu, -c.hv };
        Cell fw = rusanov(w, c, true), fe = rusanov(c, e, true);
        Cell fs = rusanov(s, c, false), fn = rusanov(c, n, false);
        Cell r = Cell{ c.h - lambda * (fe.h - fw.h + fn.h - fs.h),
                       c.hu - lambda * (fe.hu - fw.hu + fn.hu - fs.hu),
                       c.hv - lambda * (fe.hv - fw.hv + fn.hv - fs.hv) };
        out[y * nx + x] = r;
        sp = speedOf(r);
        if (x == 0 && y == 0) *dtSum += lambda;
    }
    publishMax(sp, &speed[cur ^ 1]);
}

int main()
{
    const int nx = 220, ny = 150, n = nx * ny, steps = 24;
    const float dx = 10.0f;
    std::vector<Cell> q(n);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            float r2 = (x - 80.f) * (x - 80.f) + (y - 70.f) * (y - 70.f);
            q[y * nx + x] = Cell{ r2 < 400.f ? 6.0f : 1.5f, 0.f, 0.f };
        }
    Cell *a, *b; int* speed; float* dtSum;
    GPU(cudaMalloc(&a, n * sizeof(Cell)));
    GPU(cudaMalloc(&b, n * sizeof(Cell)));
    GPU(cudaMalloc(&speed, 2 * sizeof(int)));
    GPU(cudaMalloc(&dtSum, sizeof(float)));
    GPU(cudaMemset(speed, 0, 2 * sizeof(int)));
    GPU(cudaMemset(dtSum, 0, sizeof(float)));
    GPU(cudaMemcpy(a, q.data(), n * sizeof(Cell), cudaMemcpyHostToDevice));
    dim3 blk(32, 8), grd((nx + 31) / 32, (ny + 7) / 8);
    firstSpeed<<<(n + 255) / 256, blk>>>(a, n, speed);
    for (int s = 0; s < steps; ++s) {
        advance<<<grd, blk>>>(a, b, nx, ny, CFL, speed, s & 1, dtSum);
        std::swap(a, b);
    }
    GPU(cudaGetLastError());
    float lsum = 0;
    GPU(cudaMemcpy(&lsum, dtSum, sizeof(float), cudaMemcpyDeviceToHost));
    double t = (double)lsum * dx;
    GPU(cudaMemcpy(q.data(), a, n * sizeof(Cell), cudaMemcpyDeviceToHost));
    double mass = 0, mom = 0;
    for (const Cell& c : q) { mass += c.h; mom += fabs(c.hu) + fabs(c.hv); }
    printf("t = %.4f s  mass %.3f  |momentum| %.2f\n", t, mass, mom);
    printf("gauges %.4f %.4f\n", q[70 * nx + 80].h, q[70 * nx + 110].h);
    cudaFree(a); cudaFree(b); cudaFree(speed); cudaFree(dtSum);
    return 0;
}
