// Arithmetic-average Asian call by Monte Carlo, counter-based generator, several strikes.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(expr)                                                     \
    do {                                                                     \
        cudaError_t rc = (expr);                                             \
        if (rc != cudaSuccess) {                                             \
            fprintf(stderr, "CUDA error %d at line %d\n", (int)rc, __LINE__); \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)

struct Market { float s0, r, vol, T; };
struct McPartial { double sum, sq; };

__constant__ Market c_mkt;

__device__ __forceinline__ unsigned int mix(unsigned int h)
{
    h ^= h >> 16; h *= 0x7feb352du;
    h ^= h >> 15; h *= 0x846ca68bu;
    h ^= h >> 16;
    return h;
}

__device__ float gauss(unsigned int path, unsigned int step)
{
    unsigned int a = mix(path * 0x9E3779B1u + step);
    unsigned int b = mix(a ^ 0xA511E9B3u);
    float u1 = ((float)(a >> 8) + 0.5f) * (1.0f / 16777216.0f);
    float u2 = ((float)(b >> 8) + 0.5f) * (1.0f / 16777216.0f);
    return sqrtf(-2.0f * logf(u1)) * cospif(2.0f * u2);
}

constexpr int BLOCK = 192;        // best occupancy with the register count of this kernel
constexpr int PATHS_PER_THREAD = 4;

__device__ __forceinline__ double warp_sum(double v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void __launch_bounds__(BLOCK)
mc_kernel(int paths, int steps, float strike, McPartial* __restrict__ out)
{
    __shared__ McPartial ws[32];
    const float dt = c_mkt.T / steps;
    const float drift = (c_mkt.r - 0.5f * c_mkt.vol * c_mkt.vol) * dt;
    const float sd = c_mkt.vol * sqrtf(dt);
    const float ls0 = logf(c_mkt.s0);

    double a = 0.0, q = 0.0;
    const int stride = gridDim.x * BLOCK;
    for (int p = blockIdx.x * BLOCK + threadIdx.x; p < paths; p += stride) {
        float ls = ls0, avg = 0.0f;
#pragma unroll 4
        for (int k = 0; k < steps; ++k) {
            ls += drift + sd * gauss(p, k);
            avg += expf(ls);
        }
        avg /= steps;
        double v = avg > strike ? (double)(avg - strike) : 0.0;
        a += v;
        q += v * v;
    }

    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    a = warp_sum(a);
    q = warp_sum(q);
    if (lane == 0) {
        ws[wid].sum = a;
        ws[wid].sq = q;
    }
    __syncthreads();
    if (wid == 0) {
        a = warp_sum(ws[lane].sum);
        q = warp_sum(ws[lane].sq);
        if (lane == 0) {
            out[blockIdx.x].sum = a;
            out[blockIdx.x].sq = q;
        }
    }
}

int main()
{
    const int paths = 40000, steps = 16;
    Market m{100.0f, 0.03f, 0.25f, 1.0f};
    CUDA_CHECK(cudaMemcpyToSymbol(c_mkt, &m, sizeof m));

    const int per_block = BLOCK * PATHS_PER_THREAD;
    const int blocks = (paths + per_block - 1) / per_block;
    McPartial* d_out;
    CUDA_CHECK(cudaMalloc(&d_out, blocks * sizeof(McPartial)));
    std::vector<McPartial> h(blocks);

    const float strikes[] = {90.0f, 100.0f, 112.5f};
    for (float k : strikes) {
        mc_kernel<<<blocks, BLOCK>>>(paths, steps, k, d_out);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(h.data(), d_out, blocks * sizeof(McPartial), cudaMemcpyDeviceToHost));
        double s = 0, q = 0;
        for (auto& e : h) { s += e.sum; q += e.sq; }
        double mean = s / paths;
        double se = sqrt((q / paths - mean * mean) / paths);
        double df = exp(-m.r * m.T);
        printf("K=%6.1f  price %.6f  +- %.6f\n", k, df * mean, df * se);
    }
    CUDA_CHECK(cudaFree(d_out));
    return 0;
}
