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

// one thread decodes one page; arithmetic wraps modulo 2^32
__global__ void decodePages(const Page *pages, int nPages, const uint32_t *delta, int32_t *out, Zone *zone)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= nPages) return;
    Page pg = pages[p];
    uint32_t v = (uint32_t)pg.first;
    Zone z = { INT_MAX, INT_MIN };
    for (uint32_t i = 0; i < pg.count; i++) {
        uint32_t u = delta[pg.begin + i];
        v += (u >> 1) ^ (0u - (u & 1u));
        int32_t s = (int32_t)v;
        out[pg.begin + i] = s;
        if (s < z.lo) z.lo = s;
        if (s > z.hi) z.hi = s;
    }
    zone[p] = z;
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
    decodePages<<<(nPages + 63) / 64, 64>>>(dP, nPages, dD, dO, dZ);
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
