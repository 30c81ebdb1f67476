// Row lengths -> 64-bit row offsets (exclusive prefix sum), as used when packing variable-length records.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(x) do { cudaError_t _e = (x); if (_e != cudaSuccess) { printf("[%d] %s\n", __LINE__, cudaGetErrorString(_e)); exit(1); } } while (0)

typedef unsigned int       u32;
typedef unsigned long long u64;

static const int BLOCK = 256;
static const int ITEMS = 4;
static const int TILE  = BLOCK * ITEMS;

enum { NONE = 0, AGGREGATE = 1, PREFIX = 2 };

// state of the tiles, for the look-back
struct TileState {
    volatile int* flag;
    volatile u64* aggregate;
    volatile u64* prefix;       // inclusive
    u32* ticket;
};

// Single-pass scan with decoupled look-back: the data are read once and written once.
// Tiles are numbered by a ticket, so that a tile only ever waits for tiles that have started.
__global__ void __launch_bounds__(BLOCK) scan_lookback(const u32* __restrict__ len, u64* __restrict__ off, TileState st, int n, int tiles)
{
    __shared__ u32 s_tile;
    __shared__ u64 warp_sum[BLOCK / 32];
    __shared__ u64 s_base;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    if (t == 0) s_tile = atomicAdd(st.ticket, 1u);
    __syncthreads();
    const int tile = s_tile;
    const int base = tile * TILE + t * ITEMS;

    u32 x[ITEMS] = {0, 0, 0, 0};
    if (base + ITEMS <= n) {
        uint4 q = *reinterpret_cast<const uint4*>(len + base);
        x[0] = q.x; x[1] = q.y; x[2] = q.z; x[3] = q.w;
    } else {
        for (int k = 0; k < ITEMS; k++) if (base + k < n) x[k] = len[base + k];
    }
    u64 own = (u64)x[0] + x[1] + x[2] + x[3];
    u64 inc = own;
    #pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        u64 y = __shfl_up_sync(0xffffffffu, inc, d);
        if (lane >= d) inc += y;
    }
    if (lane == 31) warp_sum[warp] = inc;
    __syncthreads();
    u64 before = 0, total = 0;
    #pragma unroll
    for (int w = 0; w < BLOCK / 32; w++) {
        if (w < warp) before += warp_sum[w];
        total += warp_sum[w];
    }

    if (t == 0) {
        u64 excl = 0;
        if (tile > 0) {
            st.aggregate[tile] = total;
            st.flag[tile] = AGGREGATE;
            for (int p = tile - 1; ; ) {
                int f = st.flag[p];
                if (f == NONE) continue;
                if (f == PREFIX) { excl += st.prefix[p]; break; }
                excl += st.aggregate[p];
                p--;
            }
        }
        st.prefix[tile] = excl + total;
        st.flag[tile] = PREFIX;
        s_base = excl;
        if (tile == tiles - 1) off[n] = excl + total;
    }
    __syncthreads();

    u64 o = s_base + before + inc - own;
    #pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (base + k < n) off[base + k] = o;
        o += x[k];
    }
}

int main()
{
    const int n = 1000003;
    const int tiles = (n + TILE - 1) / TILE;
    std::vector<u32> len(n);
    u32 s = 31337;
    for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; len[i] = (s >> 12) % (i % 1000 == 0 ? 900001 : 6000); }

    u32* d_len; u64 *d_off, *d_state; int* d_flag;
    CUDA(cudaMalloc(&d_len, n * sizeof(u32)));
    CUDA(cudaMalloc(&d_off, (n + 1) * sizeof(u64)));
    CUDA(cudaMalloc(&d_state, 2 * tiles * sizeof(u64)));
    CUDA(cudaMalloc(&d_flag, (tiles + 1) * sizeof(int)));
    CUDA(cudaMemset(d_flag, 0, (tiles + 1) * sizeof(int)));
    CUDA(cudaMemcpy(d_len, len.data(), n * sizeof(u32), cudaMemcpyHostToDevice));

    TileState st{d_flag, d_state, d_state + tiles, (u32*)(d_flag + tiles)};
    scan_lookback<<<tiles, BLOCK>>>(d_len, d_off, st, n, tiles);
    CUDA(cudaGetLastError());

    std::vector<u64> off(n + 1);
    CUDA(cudaMemcpy(off.data(), d_off, (n + 1) * sizeof(u64), cudaMemcpyDeviceToHost));
    u64 h = 1469598103934665603ull;
    for (u64 v : off) h = (h ^ v) * 1099511628211ull;
    printf("total bytes %llu  hash %016llx\n", off[n], h);
    for (int i = 0; i < n; i += 199999) printf("off[%d] = %llu\n", i, off[i]);
    cudaFree(d_len); cudaFree(d_off); cudaFree(d_state); cudaFree(d_flag);
    return 0;
}
