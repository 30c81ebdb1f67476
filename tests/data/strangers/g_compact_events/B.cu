// Detector events: keep those that pass the cuts, in their original order (stream compaction by prefix sum).
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

static void chk(cudaError_t e, const char* file, int line)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s:%d CUDA: %s\n", file, line, cudaGetErrorString(e)); exit(1); }
}
#define CHK(e) chk((e), __FILE__, __LINE__)

struct Event {
    uint32_t time;
    float    energy;
    uint16_t module;
    uint16_t flags;      // bit 0 saturated, bit 1 pile-up, bit 4 veto
};

constexpr int MODULES = 48;
__constant__ float2 c_window[MODULES];     // lower and upper energy cut of a module

__device__ bool keep(const Event& e)
{
    if (e.flags & 0x13) return false;
    if (e.module >= MODULES) return false;
    float2 w = c_window[e.module];
    return e.energy >= w.x && e.energy < w.y;
}

constexpr int TB = 256;                    // events per block
constexpr int TW = TB / 32;                // ballot words per block

// Pass 1: one bit per event, and the number of kept events of every block.
__global__ void __launch_bounds__(TB) mark(const Event* __restrict__ ev, int n, uint32_t* __restrict__ bits, int* __restrict__ blockCount)
{
    const int i = blockIdx.x * TB + threadIdx.x;
    bool k = false;
    if (i < n) k = keep(ev[i]);
    const uint32_t w = __ballot_sync(0xffffffffu, k);
    if ((threadIdx.x & 31) == 0) bits[i >> 5] = w;
    const int c = __syncthreads_count(k);
    if (threadIdx.x == 0) blockCount[blockIdx.x] = c;
}

// Pass 2: exclusive scan of the block counts in one block, any number of them; the total goes to count[m].
__global__ void __launch_bounds__(1024) scanCounts(int* count, int m)
{
    __shared__ int warpSum[32];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int carry = 0;
    for (int b = 0; b < m; b += 1024) {
        const int x = b + t < m ? count[b + t] : 0;
        int inc = x;
        #pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            int y = __shfl_up_sync(0xffffffffu, inc, d);
            if (lane >= d) inc += y;
        }
        if (lane == 31) warpSum[warp] = inc;
        __syncthreads();
        if (warp == 0) {
            int w = warpSum[lane];
            #pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                int y = __shfl_up_sync(0xffffffffu, w, d);
                if (lane >= d) w += y;
            }
            warpSum[lane] = w;
        }
        __syncthreads();
        if (b + t < m) count[b + t] = carry + (warp ? warpSum[warp - 1] : 0) + inc - x;
        carry += warpSum[31];
        __syncthreads();                   // warpSum is reused
    }
    if (t == 0) count[m] = carry;
}

// Pass 3: the place of an event is its block's offset + the bits before it in the block.
__global__ void __launch_bounds__(TB) scatter(const Event* __restrict__ ev, const uint32_t* __restrict__ bits,
                                              const int* __restrict__ blockBase, Event* __restrict__ out)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const uint32_t* blockBits = bits + blockIdx.x * TW;
    const uint32_t w = blockBits[warp];
    if (!(w >> lane & 1u)) return;         // bits past the end are zero
    int at = blockBase[blockIdx.x] + __popc(w & ((1u << lane) - 1u));
    for (int k = 0; k < warp; k++) at += __popc(blockBits[k]);
    out[at] = ev[blockIdx.x * TB + threadIdx.x];
}

int main()
{
    const int n = 150001;
    std::vector<Event> ev(n);
    float2 window[MODULES];
    uint32_t s = 5150;
    auto rnd = [&]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int m = 0; m < MODULES; m++) window[m] = make_float2(20.f + m % 5, 400.f + 10.f * (m % 7));
    uint32_t t = 0;
    for (auto& e : ev) {
        t += rnd() % 50;
        e.time = t;
        e.energy = (rnd() % 60000) * 0.01f;
        e.module = (uint16_t)(rnd() % (MODULES + 1));
        uint32_t f = rnd() % 16;
        e.flags = f == 0 ? 1 : f == 1 ? 2 : f == 2 ? 16 : f == 3 ? 8 : 0;
    }

    const int nb = (n + TB - 1) / TB;
    Event *dEv, *dOut; uint32_t* dBits; int* dCount;
    CHK(cudaMalloc(&dEv, n * sizeof(Event)));
    CHK(cudaMalloc(&dOut, n * sizeof(Event)));
    CHK(cudaMalloc(&dBits, nb * TW * sizeof(uint32_t)));
    CHK(cudaMalloc(&dCount, (nb + 1) * sizeof(int)));
    CHK(cudaMemcpyToSymbol(c_window, window, sizeof window));
    CHK(cudaMemcpy(dEv, ev.data(), n * sizeof(Event), cudaMemcpyHostToDevice));

    mark<<<nb, TB>>>(dEv, n, dBits, dCount);
    scanCounts<<<1, 1024>>>(dCount, nb);
    scatter<<<nb, TB>>>(dEv, dBits, dCount, dOut);
    CHK(cudaGetLastError());
    int kept;
    CHK(cudaMemcpy(&kept, dCount + nb, sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<Event> out(kept);
    CHK(cudaMemcpy(out.data(), dOut, kept * sizeof(Event), cudaMemcpyDeviceToHost));

    // the dead-time estimate needs the order: smallest gap between kept events of the same module
    std::vector<uint32_t> last(MODULES, 0), gap(MODULES, 0xffffffffu);
    double esum = 0; uint64_t h = 0;
    for (const Event& e : out) {
        if (last[e.module] && e.time - last[e.module] < gap[e.module]) gap[e.module] = e.time - last[e.module];
        last[e.module] = e.time;
        esum += e.energy;
        h = h * 1000003u + e.time;
    }
    printf("kept %d of %d, energy %.2f, order hash %016llx\n", kept, n, esum, (unsigned long long)h);
    for (int m = 0; m < MODULES; m += 8) printf("module %2d: min gap %u\n", m, gap[m]);
    cudaFree(dEv); cudaFree(dOut); cudaFree(dBits); cudaFree(dCount);
    return 0;
}
