// Decompression of a delta + zigzag encoded int32 column, page by page, with min/max zone maps on the way.
#include <cstdio>
#include <cstdlib>
#include <climits>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

struct Page { int32_t first; uint32_t begin, count; };   // values begin .. begin+count-1; the first delta is against `first`
struct Zone { int32_t lo, hi; };

#define GPU(x) do { cudaError_t err = (x); if (err) { fprintf(stderr, "GPU error '%s' in %s\n", cudaGetErrorString(err), #x); exit(1); } } while (0)

// One warp decodes one page: 32 deltas at a time are summed with a shuffle scan (exact, since the arithmetic wraps
// modulo 2^32), loads and stores are coalesced, the next deltas are fetched while the present ones are scanned.
constexpr int WARPS_PER_BLOCK = 8;

__global__ void __launch_bounds__(32 * WARPS_PER_BLOCK)
decodePages(const Page *__restrict__ pages, int nPages, const uint32_t *__restrict__ delta,
            int32_t *__restrict__ out, Zone *__restrict__ zone)
{
    const unsigned ALL = 0xffffffffu;
    const uint32_t lane = threadIdx.x & 31;
    const int p = blockIdx.x * WARPS_PER_BLOCK + (threadIdx.x >> 5);
    if (p >= nPages) return;                                   // the whole warp leaves together
    const Page pg = pages[p];
    uint32_t carry = (uint32_t)pg.first;
    int32_t lo = INT_MAX, hi = INT_MIN;

    uint32_t next = lane < pg.count ? delta[pg.begin + lane] : 0u;
    for (uint32_t b = 0; b < pg.count; b += 32) {
        const uint32_t u = next, i = b + lane;
        next = i + 32 < pg.count ? delta[pg.begin + i + 32] : 0u;
        uint32_t s = (u >> 1) ^ (0u - (u & 1u));               // padding decodes to a delta of 0
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            uint32_t t = __shfl_up_sync(ALL, s, o);
            if (lane >= (uint32_t)o) s += t;
        }
        s += carry;
        if (i < pg.count) {
            const int32_t v = (int32_t)s;
            out[pg.begin + i] = v;
            lo = min(lo, v);
            hi = max(hi, v);
        }
        carry = __shfl_sync(ALL, s, 31);
    }
    lo = __reduce_min_sync(ALL, lo);
    hi = __reduce_max_sync(ALL, hi);
    if (lane == 0) zone[p] = Zone{ lo, hi };
}

int main()
{
    std::vector<int32_t> col;
    std::vector<uint32_t> delta;
    std::vector<Page> pages;
    uint32_t r = 5;
    int32_t v = 1000000;
    const int nPages = 1500;
    for (int p = 0; p < nPages; p++) {
        r = r * 1664525u + 1013904223u;
        Page pg = { v, (uint32_t)col.size(), p % 97 == 13 ? 0u : 1u + (r >> 16) % 900u };
        int32_t prev = v;
        for (uint32_t i = 0; i < pg.count; i++) {
            r = r * 1664525u + 1013904223u;
            int32_t d = (int32_t)(r >> 20) - 2040;
            if ((r & 0xfff00) == 0) d *= 100000;                       // a jump now and then
            uint32_t next = (uint32_t)prev + (uint32_t)d;
            uint32_t dd = next - (uint32_t)prev;
            delta.push_back((dd << 1) ^ (0u - (dd >> 31)));
            prev = (int32_t)next;
            col.push_back(prev);
        }
        v = prev;
        pages.push_back(pg);
    }
    const size_t n = col.size();
    Page *dP; uint32_t *dD; int32_t *dO; Zone *dZ;
    GPU(cudaMalloc(&dP, nPages * sizeof(Page)));
    GPU(cudaMalloc(&dD, n * sizeof(uint32_t)));
    GPU(cudaMalloc(&dO, n * sizeof(int32_t)));
    GPU(cudaMalloc(&dZ, nPages * sizeof(Zone)));
    GPU(cudaMemcpy(dP, pages.data(), nPages * sizeof(Page), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dD, delta.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    decodePages<<<(nPages + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK, 32 * WARPS_PER_BLOCK>>>(dP, nPages, dD, dO, dZ);
    GPU(cudaGetLastError());
    std::vector<int32_t> out(n); std::vector<Zone> zone(nPages);
    GPU(cudaMemcpy(out.data(), dO, n * sizeof(int32_t), cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(zone.data(), dZ, nPages * sizeof(Zone), cudaMemcpyDeviceToHost));
    size_t diff = 0; uint32_t h = 0;
    for (size_t i = 0; i < n; i++) { diff += out[i] != col[i]; h = h * 31 + (uint32_t)out[i]; }
    for (const Zone &z : zone) h = (h ^ (uint32_t)z.lo) * 16777619u + (uint32_t)z.hi;
    printf("%zu values in %d pages, %zu differ, hash %08x, page 1: [%d, %d]\n", n, nPages, diff, h, zone[1].lo, zone[1].hi);
    cudaFree(dP); cudaFree(dD); cudaFree(dO); cudaFree(dZ);
    return 0;
}
