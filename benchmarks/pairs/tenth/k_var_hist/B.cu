// Historical/MC value at risk: one block bins the simulated P&L of one portfolio,
// then walks the histogram from the left to the loss quantiles.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define CHECK(c) check((c), #c, __LINE__)
static void check(cudaError_t e, const char *s, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s: %s\n", line, s, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
}

enum { NBINS = 2048, THREADS = 512 };

struct Range { float lo, width; };      // width of one bin

struct Risk {
    float    var95, var99;
    uint32_t below99;    // scenarios at or below the 99% bin
    uint32_t counted;
};

__device__ int bin_of(float pnl, Range r)
{
    int b = (int)floorf((pnl - r.lo) / r.width);
    return min(max(b, 0), NBINS - 1);
}

// Counters are packed two to a word: half the shared memory, half the words to clear and
// to scan. The walk is a block scan over chunks of bins instead of one thread's loop.
__global__ void __launch_bounds__(THREADS) var_kernel(const float *__restrict__ pnl, const Range *__restrict__ range,
                                                      int scenarios, Risk *__restrict__ risk)
{
    __shared__ uint32_t hist[NBINS / 2];
    __shared__ uint32_t warp_tot[THREADS / 32];
    __shared__ Risk out;

    for (int i = threadIdx.x; i < NBINS / 2; i += THREADS) hist[i] = 0;
    if (threadIdx.x == 0) out = Risk{0.f, 0.f, 0u, 0u};
    __syncthreads();

    const float *mine = pnl + (size_t)blockIdx.x * scenarios;
    const Range r = range[blockIdx.x];
#pragma unroll 4
    for (int i = threadIdx.x; i < scenarios; i += THREADS) {
        int b = bin_of(mine[i], r);
        atomicAdd(&hist[b >> 1], 1u << ((b & 1) * 16));
    }
    __syncthreads();

    // thread t owns bins 4t .. 4t+3
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t w0 = hist[2 * threadIdx.x], w1 = hist[2 * threadIdx.x + 1];
    uint32_t c[4] = {w0 & 0xffffu, w0 >> 16, w1 & 0xffffu, w1 >> 16};
    uint32_t own = c[0] + c[1] + c[2] + c[3], incl = own;
    for (int o = 1; o < 32; o <<= 1) {
        uint32_t t = __shfl_up_sync(0xffffffffu, incl, o);
        if (lane >= o) incl += t;
    }
    if (lane == 31) warp_tot[warp] = incl;
    __syncthreads();
    uint32_t run = incl - own;
    for (int k = 0; k < warp; ++k) run += warp_tot[k];

    const uint32_t q95 = (uint32_t)ceil(0.05 * scenarios), q99 = (uint32_t)ceil(0.01 * scenarios);
    for (int k = 0; k < 4; ++k) {
        uint32_t before = run;
        run += c[k];
        int b = 4 * threadIdx.x + k;
        if (before < q99 && run >= q99) { out.var99 = -(r.lo + b * r.width); out.below99 = run; }
        if (before < q95 && run >= q95) out.var95 = -(r.lo + b * r.width);
    }
    if (threadIdx.x == THREADS - 1) out.counted = run;
    __syncthreads();
    if (threadIdx.x == 0) risk[blockIdx.x] = out;
}

static_assert(NBINS == 4 * THREADS, "one thread scans four bins");

int main()
{
    const int portfolios = 12, scenarios = 100000;
    std::vector<float> pnl((size_t)portfolios * scenarios);
    std::vector<Range> range(portfolios);
    uint32_t s = 99u;
    for (int p = 0; p < portfolios; ++p) {
        float scale = 1000.f * (1 + p);
        for (int i = 0; i < scenarios; ++i) {
            float g = 0.f;
            for (int k = 0; k < 4; ++k) { s = s * 1664525u + 1013904223u; g += (s >> 8) * (1.f / 16777216.f); }
            pnl[(size_t)p * scenarios + i] = scale * (g - 2.0f) + 15.f * p;
        }
        range[p].lo = -2.0f * scale;
        range[p].width = 4.0f * scale / NBINS;
    }

    float *d_pnl; Range *d_range; Risk *d_risk;
    CHECK(cudaMalloc(&d_pnl, pnl.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_range, portfolios * sizeof(Range)));
    CHECK(cudaMalloc(&d_risk, portfolios * sizeof(Risk)));
    CHECK(cudaMemcpy(d_pnl, pnl.data(), pnl.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_range, range.data(), portfolios * sizeof(Range), cudaMemcpyHostToDevice));

    var_kernel<<<portfolios, THREADS>>>(d_pnl, d_range, scenarios, d_risk);
    CHECK(cudaGetLastError());

    std::vector<Risk> risk(portfolios);
    CHECK(cudaMemcpy(risk.data(), d_risk, portfolios * sizeof(Risk), cudaMemcpyDeviceToHost));
    for (int p = 0; p < portfolios; ++p)
        printf("portfolio %2d  VaR95 %10.2f  VaR99 %10.2f  (%u of %u in the tail)\n",
               p, risk[p].var95, risk[p].var99, risk[p].below99, risk[p].counted);
    cudaFree(d_pnl); cudaFree(d_range); cudaFree(d_risk);
    return 0;
}
