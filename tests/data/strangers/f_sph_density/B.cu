// SPH-like particle heat exchange: density and diffusion over neighbours within h,
// particles are counting-sorted into cells after every move.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_SAFE(x) do { cudaError_t err_ = (x); if (err_ != cudaSuccess) { \
    std::printf("CUDA error '%s' at line %d\n", cudaGetErrorString(err_), __LINE__); std::exit(1); } } while (0)

struct Grid { float box, h; int nc; };      // nc cells per side, each at least h wide

__host__ __device__ inline int cellCoord(float v, const Grid& g)
{
    int c = (int)(v / g.box * g.nc);
    return c < 0 ? 0 : c >= g.nc ? g.nc - 1 : c;
}

__device__ inline float kernelW(float r2, float h2) { float d = 1.0f - r2 / h2; return d * d * d; }

__global__ void countCells(const float3* __restrict__ pos, int n, Grid g, int* count, int2* slot)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = pos[i];
    int c = (cellCoord(p.z, g) * g.nc + cellCoord(p.y, g)) * g.nc + cellCoord(p.x, g);
    slot[i] = make_int2(c, atomicAdd(&count[c], 1));       // cell and place within the cell
}

// exclusive scan by one block of 1024 threads, start[cells] = number of particles
__global__ void __launch_bounds__(1024) scanCells(const int* __restrict__ count, int* __restrict__ start, int cells)
{
    __shared__ int ws[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int carry = 0;
    for (int base = 0; base < cells; base += 1024) {
        const int i = base + threadIdx.x;
        const int v = i < cells ? count[i] : 0;
        int inc = v;
        for (int o = 1; o < 32; o <<= 1) { int t = __shfl_up_sync(0xffffffffu, inc, o); if (lane >= o) inc += t; }
        if (lane == 31) ws[warp] = inc;
        __syncthreads();
        if (warp == 0) {
            int w = ws[lane];
            for (int o = 1; o < 32; o <<= 1) { int t = __shfl_up_sync(0xffffffffu, w, o); if (lane >= o) w += t; }
            ws[lane] = w;
        }
        __syncthreads();
        if (i < cells) start[i] = carry + (warp ? ws[warp - 1] : 0) + inc - v;
        carry += ws[31];
        __syncthreads();
    }
    if (threadIdx.x == 0) start[cells] = carry;
}

__global__ void scatter(const float3* __restrict__ pos, const float* __restrict__ temp, int n, const int2* __restrict__ slot,
                        const int* __restrict__ start, float4* __restrict__ sorted, int* __restrict__ id)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int to = start[slot[i].x] + slot[i].y;
    float3 p = pos[i];
    sorted[to] = make_float4(p.x, p.y, p.z, temp[i]);
    id[to] = i;
}

// Threads walk over the particles in cell order. The three cells x-1, x, x+1 of a row are
// one contiguous range of the sorted array.
template <int PASS>
__global__ void interact(const float4* __restrict__ sorted, const int* __restrict__ id, int n, Grid g,
                         const int* __restrict__ start, const float* __restrict__ rhoIn, float* __restrict__ rhoSorted,
                         float* __restrict__ out, float kappa)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    const float4 a = sorted[k];
    const int cx = cellCoord(a.x, g), cy = cellCoord(a.y, g), cz = cellCoord(a.z, g);
    const int x0 = max(cx - 1, 0), x1 = min(cx + 1, g.nc - 1);
    const float h2 = g.h * g.h;
    float sum = 0.0f;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, g.nc - 1); ++z)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, g.nc - 1); ++y) {
            const int row = (z * g.nc + y) * g.nc;
            const int end = start[row + x1 + 1];
            for (int j = start[row + x0]; j < end; ++j) {
                const float4 b = sorted[j];
                float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
                float r2 = dx * dx + dy * dy + dz * dz;
                if (r2 < h2) {
                    float w = kernelW(r2, h2);
                    if (PASS == 0) sum += w;
                    else           sum += w * (b.w - a.w) / rhoIn[j];
                }
            }
        }
    if (PASS == 0) { rhoSorted[k] = sum; out[id[k]] = sum; }
    else           out[id[k]] = a.w + kappa * sum;
}

__global__ void moveAll(float3* pos, const float3* vel, int n, float dt, float box)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = pos[i], v = vel[i];
    p.x += dt * v.x; p.y += dt * v.y; p.z += dt * v.z;
    if (p.x < 0 || p.x >= box) p.x -= 2 * dt * v.x;
    if (p.y < 0 || p.y >= box) p.y -= 2 * dt * v.y;
    if (p.z < 0 || p.z >= box) p.z -= 2 * dt * v.z;
    pos[i] = p;
}

int main()
{
    const int n = 7000, steps = 4;
    Grid g; g.box = 2.0f; g.h = 0.19f; g.nc = (int)(g.box / g.h);
    const int cells = g.nc * g.nc * g.nc;
    std::vector<float3> pos(n), vel(n); std::vector<float> temp(n), rho(n);
    unsigned s = 2463534242u;
    auto rnd = [&]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return (s >> 8) / 16777216.0f; };
    for (int i = 0; i < n; ++i) {
        pos[i].x = g.box * rnd(); pos[i].y = g.box * rnd() * rnd(); pos[i].z = g.box * rnd();
        vel[i].x = rnd() - 0.5f; vel[i].y = rnd() - 0.5f; vel[i].z = rnd() - 0.5f;
        temp[i] = pos[i].x < 0.7f ? 400.0f : 300.0f;
    }
    float3 *dPos, *dVel; float *dT, *dRho, *dRhoS; int *count, *start, *id; int2* slot; float4* sorted;
    CUDA_SAFE(cudaMalloc(&dPos, n * sizeof(float3)));
    CUDA_SAFE(cudaMalloc(&dVel, n * sizeof(float3)));
    CUDA_SAFE(cudaMalloc(&dT, n * sizeof(float)));
    CUDA_SAFE(cudaMalloc(&dRho, n * sizeof(float)));
    CUDA_SAFE(cudaMalloc(&dRhoS, n * sizeof(float)));
    CUDA_SAFE(cudaMalloc(&count, cells * sizeof(int)));
    CUDA_SAFE(cudaMalloc(&start, (cells + 1) * sizeof(int)));
    CUDA_SAFE(cudaMalloc(&id, n * sizeof(int)));
    CUDA_SAFE(cudaMalloc(&slot, n * sizeof(int2)));
    CUDA_SAFE(cudaMalloc(&sorted, n * sizeof(float4)));
    CUDA_SAFE(cudaMemcpy(dPos, pos.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
    CUDA_SAFE(cudaMemcpy(dVel, vel.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
    CUDA_SAFE(cudaMemcpy(dT, temp.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const int B = 128, G = (n + B - 1) / B;
    for (int t = 0; t < steps; ++t) {
        CUDA_SAFE(cudaMemsetAsync(count, 0, cells * sizeof(int)));
        countCells<<<G, B>>>(dPos, n, g, count, slot);
        scanCells<<<1, 1024>>>(count, start, cells);
        scatter<<<G, B>>>(dPos, dT, n, slot, start, sorted, id);
        interact<0><<<G, B>>>(sorted, id, n, g, start, nullptr, dRhoS, dRho, 0.0f);
        interact<1><<<G, B>>>(sorted, id, n, g, start, dRhoS, nullptr, dT, 0.2f);   // old T is in sorted[].w
        moveAll<<<G, B>>>(dPos, dVel, n, 0.02f, g.box);
    }
    CUDA_SAFE(cudaGetLastError());
    CUDA_SAFE(cudaMemcpy(temp.data(), dT, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_SAFE(cudaMemcpy(rho.data(), dRho, n * sizeof(float), cudaMemcpyDeviceToHost));
    double sr = 0, st = 0, st2 = 0;
    for (int i = 0; i < n; ++i) { sr += rho[i]; st += temp[i]; st2 += (temp[i] - 350.0) * (temp[i] - 350.0); }
    std::printf("mean rho %.5f  mean T %.4f  spread %.3f\n", sr / n, st / n, st2 / n);
    std::printf("T[0..2] = %.3f %.3f %.3f\n", temp[0], temp[1], temp[2]);
    cudaFree(dPos); cudaFree(dVel); cudaFree(dT); cudaFree(dRho); cudaFree(dRhoS);
    cudaFree(count); cudaFree(start); cudaFree(id); cudaFree(slot); cudaFree(sorted);
    return 0;
}
