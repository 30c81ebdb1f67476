// Value iteration for a robot on a grid with slippery moves; one persistent cooperative kernel does all sweeps.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <utility>

namespace cg = cooperative_groups;

#define gpu(x) check_((x), #x, __LINE__)
static void check_(cudaError_t e, const char* s, int line)
{
    if (e == cudaSuccess) return;
    printf("line %d: %s: %s\n", line, s, cudaGetErrorString(e));
    exit(1);
}

struct World {
    int nx, ny;
    float gamma, eps;
    int max_sweeps;
};

// resid: three slots, used in rotation (float bits, values are never negative)
// The walls around a state do not change: every thread works out the four target cells of its states from a small
// byte mask made in a prologue, and each sweep gathers five values per state through the read-only path.
__global__ void __launch_bounds__(256) value_iteration(World w, const unsigned char* __restrict__ wall,
                                                       const float* __restrict__ reward,
                                                       float* __restrict__ v0, float* __restrict__ v1,
                                                       unsigned char* __restrict__ mask,
                                                       unsigned char* __restrict__ policy, int* resid, int* sweeps)
{
    cg::grid_group grid = cg::this_grid();
    const int n = w.nx * w.ny, nx = w.nx;
    const int rank = (int)grid.thread_rank(), stride = (int)grid.size();

    // prologue: bit a set = move a is possible, bit 4 = the cell itself is a wall (each thread reads only its own cells later)
    for (int s = rank; s < n; s += stride) {
        int x = s % nx, y = s / nx;
        int m = 0;
        if (x + 1 < nx   && !__ldg(wall + s + 1))  m |= 1;
        if (y + 1 < w.ny && !__ldg(wall + s + nx)) m |= 2;
        if (x > 0        && !__ldg(wall + s - 1))  m |= 4;
        if (y > 0        && !__ldg(wall + s - nx)) m |= 8;
        if (__ldg(wall + s)) m |= 16;
        mask[s] = (unsigned char)m;
    }

    int k = 0;
    for (; k < w.max_sweeps; ++k) {
        const float* cur = (k & 1) ? v1 : v0;
        float* nxt = (k & 1) ? v0 : v1;
        float worst = 0.f;
        for (int s = rank; s < n; s += stride) {
            const int m = mask[s];
            const float own = __ldg(cur + s);
            float best = 0.f; int arg = 0;
            if (!(m & 16)) {
                float v[4];
                v[0] = (m & 1) ? __ldg(cur + s + 1)  : own;
                v[1] = (m & 2) ? __ldg(cur + s + nx) : own;
                v[2] = (m & 4) ? __ldg(cur + s - 1)  : own;
                v[3] = (m & 8) ? __ldg(cur + s - nx) : own;
                const float r = __ldg(reward + s);
                best = -1e30f;
#pragma unroll
                for (int a = 0; a < 4; ++a) {
                    float q = 0.8f * v[a] + 0.1f * v[(a + 3) & 3] + 0.1f * v[(a + 1) & 3];
                    q = r + w.gamma * q;
                    if (q > best) { best = q; arg = a; }
                }
            }
            worst = fmaxf(worst, fabsf(best - own));
            nxt[s] = best;
            policy[s] = (unsigned char)arg;
        }
        // one atomic per warp
        int wb = __reduce_max_sync(0xffffffffu, __float_as_int(worst));
        if ((threadIdx.x & 31) == 0) atomicMax(&resid[k % 3], wb);
        if (rank == 0) resid[(k + 1) % 3] = 0;
        grid.sync();
        if (__int_as_float(*(volatile int*)&resid[k % 3]) < w.eps) { ++k; break; }
    }
    if (rank == 0) *sweeps = k;      // result is in v0 when the count is even, else in v1
}

int main()
{
    World w{ 200, 160, 0.96f, 1e-4f, 64 };
    const int n = w.nx * w.ny;
    std::vector<unsigned char> wall(n, 0), pol(n);
    std::vector<float> reward(n), v(n);
    unsigned z = 4242u;
    for (int i = 0; i < n; ++i) {
        z ^= z << 13; z ^= z >> 17; z ^= z << 5;
        wall[i] = (z % 100) < 17;
        reward[i] = -0.04f - ((z >> 9) % 64 == 0 ? 0.7f : 0.f);
    }
    for (int g = 0; g < 9; ++g) { int i = (17 * g + 11) % w.ny * w.nx + (41 * g + 23) % w.nx; wall[i] = 0; reward[i] = 1.0f; }

    unsigned char *d_wall, *d_pol, *d_mask; float *d_rew, *d_v0, *d_v1; int *d_res, *d_sweeps;
    gpu(cudaMalloc(&d_wall, n)); gpu(cudaMalloc(&d_pol, n)); gpu(cudaMalloc(&d_mask, n));
    gpu(cudaMalloc(&d_rew, n * sizeof(float))); gpu(cudaMalloc(&d_v0, n * sizeof(float))); gpu(cudaMalloc(&d_v1, n * sizeof(float)));
    gpu(cudaMalloc(&d_res, 3 * sizeof(int))); gpu(cudaMalloc(&d_sweeps, sizeof(int)));
    gpu(cudaMemcpy(d_wall, wall.data(), n, cudaMemcpyHostToDevice));
    gpu(cudaMemcpy(d_rew, reward.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    gpu(cudaMemset(d_v0, 0, n * sizeof(float)));
    gpu(cudaMemset(d_res, 0, 3 * sizeof(int)));

    int dev = 0, sms = 0, perSM = 0;
    gpu(cudaGetDevice(&dev));
    gpu(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    const int threads = 256;
    gpu(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSM, value_iteration, threads, 0));
    int blocks = (n + threads - 1) / threads;
    if (blocks > sms * perSM) blocks = sms * perSM;
    void* args[] = { &w, &d_wall, &d_rew, &d_v0, &d_v1, &d_mask, &d_pol, &d_res, &d_sweeps };
    gpu(cudaLaunchCooperativeKernel((void*)value_iteration, dim3(blocks), dim3(threads), args, 0, 0));
    gpu(cudaDeviceSynchronize());

    int sweeps = 0;
    gpu(cudaMemcpy(&sweeps, d_sweeps, sizeof(int), cudaMemcpyDeviceToHost));
    gpu(cudaMemcpy(v.data(), sweeps % 2 ? d_v1 : d_v0, n * sizeof(float), cudaMemcpyDeviceToHost));
    gpu(cudaMemcpy(pol.data(), d_pol, n, cudaMemcpyDeviceToHost));
    double s = 0; int count[4] = { 0, 0, 0, 0 };
    for (int i = 0; i < n; ++i) { s += v[i]; if (!wall[i]) count[pol[i]]++; }
    printf("sweeps %d  mean value %.6f  E/S/W/N %d %d %d %d\n", sweeps, s / n, count[0], count[1], count[2], count[3]);
    for (int i = 0; i < 5; ++i) printf("v[%d] = %.6f\n", i * 6007, v[i * 6007]);
    cudaFree(d_wall); cudaFree(d_pol); cudaFree(d_mask); cudaFree(d_rew); cudaFree(d_v0); cudaFree(d_v1); cudaFree(d_res); cudaFree(d_sweeps);
    return 0;
}
