// Zero suppression of detector samples: keep hits above per-channel threshold,
// then tally hits per channel from the compacted list.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CU(x) do { auto r = (x); if (r != cudaSuccess) { std::printf("cuda: %s @%d\n", cudaGetErrorString(r), __LINE__); std::exit(EXIT_FAILURE); } } while (0)

constexpr int CHANNELS = 96;
__constant__ int16_t c_threshold[CHANNELS];

struct Hit { uint32_t sample; int16_t adc; uint16_t channel; };

constexpr int BLOCK = 256, WARPS = BLOCK / 32;

// One atomic per block: ballots rank the hits in a warp, a tiny scan ranks the warps.
__global__ void __launch_bounds__(BLOCK)
zero_suppress(const int16_t* __restrict__ adc, uint32_t n, Hit* __restrict__ hits, uint32_t* n_hits)
{
    __shared__ uint32_t warp_count[WARPS];
    __shared__ uint32_t block_base;
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int ch = i % CHANNELS;
    int16_t v = 0;
    bool keep = false;
    if (i < n) {
        v = adc[i];
        keep = v > c_threshold[ch];
    }
    const unsigned ballot = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) warp_count[warp] = __popc(ballot);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t run = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) { uint32_t c = warp_count[w]; warp_count[w] = run; run += c; }
        block_base = run ? atomicAdd(n_hits, run) : 0u;
    }
    __syncthreads();
    if (keep) {
        const uint32_t at = block_base + warp_count[warp] + __popc(ballot & ((1u << lane) - 1u));
        hits[at] = Hit{i, v, (uint16_t)ch};
    }
}

// Counters private to the block; energy summed in registers, then over the warp.
__global__ void __launch_bounds__(BLOCK)
tally(const Hit* __restrict__ hits, const uint32_t* __restrict__ n_hits,
      uint32_t* __restrict__ per_channel, unsigned long long* __restrict__ energy)
{
    __shared__ uint32_t local[CHANNELS];
    for (int c = threadIdx.x; c < CHANNELS; c += BLOCK) local[c] = 0;
    __syncthreads();
    const uint32_t n = *n_hits;
    unsigned long long e = 0;
    for (uint32_t k = blockIdx.x * BLOCK + threadIdx.x; k < n; k += gridDim.x * BLOCK) {
        const Hit h = hits[k];
        atomicAdd(&local[h.channel], 1u);
        e += (unsigned long long)(h.adc - c_threshold[h.channel]);
    }
    for (int o = 16; o; o >>= 1) e += __shfl_xor_sync(0xffffffffu, e, o);
    if ((threadIdx.x & 31) == 0 && e) atomicAdd(energy, e);
    __syncthreads();
    for (int c = threadIdx.x; c < CHANNELS; c += BLOCK)
        if (local[c]) atomicAdd(&per_channel[c], local[c]);
}

int main()
{
    const uint32_t n = 200017;
    std::vector<int16_t> adc(n), thr(CHANNELS);
    uint32_t s = 5;
    for (auto& v : adc) { s = s * 747796405u + 2891336453u; v = (int16_t)((s >> 20) & 1023) - 100; }
    for (int c = 0; c < CHANNELS; c++) thr[c] = 550 + 3 * c;

    int16_t* d_adc; Hit* d_hits; uint32_t *d_n, *d_pc; unsigned long long* d_e;
    CU(cudaMalloc(&d_adc, n * sizeof(int16_t)));
    CU(cudaMalloc(&d_hits, n * sizeof(Hit)));
    CU(cudaMalloc(&d_n, 4)); CU(cudaMalloc(&d_pc, CHANNELS * 4)); CU(cudaMalloc(&d_e, 8));
    CU(cudaMemcpy(d_adc, adc.data(), n * sizeof(int16_t), cudaMemcpyHostToDevice));
    CU(cudaMemcpyToSymbol(c_threshold, thr.data(), CHANNELS * sizeof(int16_t)));
    CU(cudaMemset(d_n, 0, 4)); CU(cudaMemset(d_pc, 0, CHANNELS * 4)); CU(cudaMemset(d_e, 0, 8));

    zero_suppress<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_adc, n, d_hits, d_n);
    tally<<<64, BLOCK>>>(d_hits, d_n, d_pc, d_e);
    CU(cudaGetLastError());

    uint32_t m = 0; unsigned long long e = 0;
    CU(cudaMemcpy(&m, d_n, 4, cudaMemcpyDeviceToHost));
    CU(cudaMemcpy(&e, d_e, 8, cudaMemcpyDeviceToHost));
    std::vector<Hit> hits(m);
    std::vector<uint32_t> pc(CHANNELS);
    CU(cudaMemcpy(hits.data(), d_hits, m * sizeof(Hit), cudaMemcpyDeviceToHost));
    CU(cudaMemcpy(pc.data(), d_pc, CHANNELS * 4, cudaMemcpyDeviceToHost));
    // the order of appends is arbitrary
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.sample < b.sample; });
    uint64_t ck = 1469598103934665603ull;
    for (auto& h : hits) ck = (ck ^ (h.sample * 65536ull + (uint16_t)h.adc + h.channel)) * 1099511628211ull;
    std::printf("hits %u energy %llu checksum %016llx\n", m, e, (unsigned long long)ck);
    for (int c = 0; c < CHANNELS; c += 19) std::printf("ch %d: %u\n", c, pc[c]);
    cudaFree(d_adc); cudaFree(d_hits); cudaFree(d_n); cudaFree(d_pc); cudaFree(d_e);
}
