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

__device__ float look(const float* v, const unsigned char* wall, World w, int x, int y, int dx, int dy)
{
    int xx = x + dx, yy = y + dy;
    if (xx < 0 || yy < 0 || xx >= w.nx || yy >= w.ny || wall[yy * w.nx + xx]) { xx = x; yy = y; }
    return v[yy * w.nx + xx];
}

// resid: three slots, used in rotation (float bits, values are never negative)
__global__ void value_iteration(World w, const unsigned char* wall, const float* reward, float* v0, float* v1,
                                unsigned char* policy, int* resid, int* sweeps)
{
    cg::grid_group grid = cg::this_grid();
    const int n = w.nx * w.ny;
    float* cur = v0;
    float* nxt = v1;
    const int dx[4] = { 1, 0, -1, 0 }, dy[4] = { 0, 1, 0, -1 };
    int k = 0;
    for (; k < w.max_sweeps; ++k) {
        float worst = 0.f;
        for (int s = (int)grid.thread_rank(); s < n; s += (int)grid.size()) {
            int x = s % w.nx, y = s / w.nx;
            float best = 0.f; int arg = 0;
            if (!wall[s]) {
                best = -1e30f;
                for (int a = 0; a < 4; ++a) {
                    int l = (a + 3) & 3, r = (a + 1) & 3;
                    float q = 0.8f * look(cur, wall, w, x, y, dx[a], dy[a])
                            + 0.1f * look(cur, wall, w, x, y, dx[l], dy[l])
                            + 0.1f * look(cur, wall, w, x, y, dx[r], dy[r]);
                    q = reward[s] + w.gamma * q;
                    if (q > best) { best = q; arg = a; }
                }
            }
            worst = fmaxf(worst, fabsf(best - cur[s]));
            nxt[s] = best;
            policy[s] = (unsigned char)arg;
        }
        atomicMax(&resid[k % 3], __float_as_int(worst));
        if (grid.thread_rank() == 0) resid[(k + 1) % 3] = 0;
        grid.sync();
        float* t = cur; cur = nxt; nxt = t;
        if (__int_as_float(resid[k % 3]) < w.eps) { ++k; break; }
    }
    if (grid.thread_rank() == 0) *sweeps = k;      // result is in v0 when the count is even, else in v1
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

    unsigned char *d_wall, *d_pol; float *d_rew, *d_v0, *d_v1; int *d_res, *d_sweeps;
    gpu(cudaMalloc(&d_wall, n)); gpu(cudaMalloc(&d_pol, n));
    gpu(cudaMalloc(&d_rew, n * sizeof(float))); gpu(cudaMalloc(&d_v0, n * sizeof(float))); gpu(cudaMalloc(&d_v1, n * sizeof(float)));
    gpu(cudaMalloc(&d_res, 3 * sizeof(int))); gpu(cudaMalloc(&d_sweeps, sizeof(int)));
    gpu(cudaMemcpy(d_wall, wall.data(), n, cudaMemcpyHostToDevice));
    gpu(cudaMemcpy(d_rew, reward.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    gpu(cudaMemset(d_v0, 0, n * sizeof(float)));
    gpu(cudaMemset(d_res, 0, 3 * sizeof(int)));

    int dev = 0, sms = 0, perSM = 0;
    gpu(cudaGetDevice(&dev));
    gpu(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    const int threads = 128;
    gpu(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSM, value_iteration, threads, 0));
    int blocks = (n + threads - 1) / threads;
    if (blocks > sms * perSM) blocks = sms * perSM;
    void* args[] = { &w, &d_wall, &d_rew, &d_v0, &d_v1, &d_pol, &d_res, &d_sweeps };
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
    cudaFree(d_wall); cudaFree(d_pol); cudaFree(d_rew); cudaFree(d_v0); cudaFree(d_v1); cudaFree(d_res); cudaFree(d_sweeps);
    return 0;
}
