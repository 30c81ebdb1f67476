// Run-length decoding: exclusive scan of run lengths, then every run writes its first output slot.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CUCHECK(x) do { cudaError_t _s = (x); if (_s != cudaSuccess) { fprintf(stderr, "[%s] %s\n", #x, cudaGetErrorString(_s)); exit(1); } } while (0)

typedef unsigned long long u64;
constexpr int BS = 256, IPT = 8, TILE = BS * IPT, NW = BS / 32;

// Tile descriptor: high word 0 = nothing yet, 1 = sum of this tile, 2 = sum of all tiles up to and with it.
// Flag and value travel in one 64-bit word, so that a reader never sees one without the other.
__device__ __forceinline__ void publish(u64* d, uint32_t flag, uint32_t value)
{
    atomicExch(d, ((u64)flag << 32) | value);
}

__device__ __forceinline__ uint32_t warp_inclusive(uint32_t v, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        uint32_t o = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += o;
    }
    return v;
}

__device__ __forceinline__ uint32_t warp_sum(uint32_t v)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

// Single-pass exclusive scan with decoupled look-back. Tiles are numbered by a ticket, so every
// predecessor of a tile is already running when the tile starts to wait for it.
__global__ void __launch_bounds__(BS)
scan_single_pass(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int n,
                 unsigned* ticket, u64* desc)
{
    __shared__ uint32_t stage[TILE];
    __shared__ uint32_t wsum[NW];
    __shared__ uint32_t s_prefix;
    __shared__ int s_tile;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    if (t == 0) s_tile = (int)atomicAdd(ticket, 1u);
    __syncthreads();
    const int tile = s_tile, base = tile * TILE;

#pragma unroll
    for (int k = 0; k < IPT; k++) {                      // coalesced in, blocked per thread afterwards
        int i = base + k * BS + t;
        stage[k * BS + t] = i < n ? in[i] : 0;
    }
    __syncthreads();
    uint32_t x[IPT], sum = 0;
#pragma unroll
    for (int k = 0; k < IPT; k++) { x[k] = stage[t * IPT + k]; sum += x[k]; }
    const uint32_t winc = warp_inclusive(sum, lane);
    if (lane == 31) wsum[warp] = winc;
    __syncthreads();

    if (warp == 0) {
        uint32_t w = lane < NW ? wsum[lane] : 0;
        uint32_t wi = warp_inclusive(w, lane);
        uint32_t total = __shfl_sync(0xffffffffu, wi, NW - 1);
        if (lane < NW) wsum[lane] = wi - w;              // exclusive over the warps
        if (lane == 0) publish(&desc[tile], tile == 0 ? 2u : 1u, total);

        uint32_t prefix = 0;
        int look = tile - 1;                             // newest tile of the window
        while (look >= 0) {
            const int j = look - lane;
            u64 d = 0;
            uint32_t flag = 2, value = 0;                // before tile 0: a finished, empty prefix
            if (j >= 0) {
                do { d = atomicAdd(&desc[j], 0ull); flag = (uint32_t)(d >> 32); } while (flag == 0);
                value = (uint32_t)d;
            }
            const unsigned done = __ballot_sync(0xffffffffu, flag == 2);
            const int stop = done ? __ffs(done) - 1 : 32;
            prefix += warp_sum(lane <= stop ? value : 0);
            if (done) break;
            look -= 32;
        }
        if (lane == 0) {
            if (tile > 0) publish(&desc[tile], 2u, prefix + total);
            s_prefix = prefix;
        }
    }
    __syncthreads();

    uint32_t run = s_prefix + wsum[warp] + winc - sum;
#pragma unroll
    for (int k = 0; k < IPT; k++) { stage[t * IPT + k] = run; run += x[k]; }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < IPT; k++) {
        int i = base + k * BS + t;
        if (i < n) out[i] = stage[k * BS + t];
    }
}

int main()
{
    const int n = 190003;
    std::vector<uint32_t> len(n), off(n);
    uint32_t s = 7;
    for (int i = 0; i < n; i++) { s = s * 22695477u + 1u; len[i] = (s >> 27) == 0 ? 5000 : (s >> 24) % 9; }
    const int tiles = (n + TILE - 1) / TILE;
    uint32_t *d_len, *d_off;
    u64* d_state;                                        // [0] ticket, [1..tiles] descriptors
    CUCHECK(cudaMalloc(&d_len, n * 4));
    CUCHECK(cudaMalloc(&d_off, n * 4));
    CUCHECK(cudaMalloc(&d_state, (tiles + 1) * sizeof(u64)));
    CUCHECK(cudaMemcpy(d_len, len.data(), n * 4, cudaMemcpyHostToDevice));

    CUCHECK(cudaMemset(d_state, 0, (tiles + 1) * sizeof(u64)));
    scan_single_pass<<<tiles, BS>>>(d_len, d_off, n, (unsigned*)d_state, d_state + 1);
    CUCHECK(cudaGetLastError());

    CUCHECK(cudaMemcpy(off.data(), d_off, n * 4, cudaMemcpyDeviceToHost));
    uint64_t h = 0;
    for (int i = 0; i < n; i++) h = h * 31 + off[i];
    printf("runs %d, decoded size %u, hash %016llx\n", n, off[n - 1] + len[n - 1], (unsigned long long)h);
    for (int i = 0; i < n; i += 38000) printf("off[%d] = %u\n", i, off[i]);
    CUCHECK(cudaFree(d_len)); CUCHECK(cudaFree(d_off)); CUCHECK(cudaFree(d_state));
    return 0;
}
