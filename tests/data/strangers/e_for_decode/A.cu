// Frame-of-reference decoding of an int64 column (timestamps, money, ids).
// A page holds 1024 values packed at a fixed bit width of 0..64 on top of a per-page base.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define PAGE 1024

struct PageHeader {
    int64_t  base;
    uint32_t firstWord;   // index of the page's first 32-bit word
    uint32_t width;       // bits per value, 0..64
};

#define CUDA_TRY(x) if ((x) != cudaSuccess) { fprintf(stderr, "cuda error line %d\n", __LINE__); exit(1); }

__global__ void for_decode(const PageHeader *hdr, const uint32_t *words, int64_t *out)
{
    PageHeader p = hdr[blockIdx.x];
    int i = threadIdx.x;
    uint64_t bit = (uint64_t)i * p.width;
    uint64_t v = 0;
    unsigned got = 0;
    while (got < p.width) {
        uint32_t w = words[p.firstWord + (bit >> 5)];
        unsigned off = bit & 31;
        unsigned take = 32 - off;
        if (take > p.width - got) take = p.width - got;
        uint64_t part = (w >> off) & (take == 32 ? 0xffffffffu : ((1u << take) - 1u));
        v |= part << got;
        got += take;
        bit += take;
    }
    out[(size_t)blockIdx.x * PAGE + i] = p.base + (int64_t)v;
}

// host-side writer
static unsigned bitsNeeded(uint64_t m) { unsigned b = 0; while (m) { b++; m >>= 1; } return b; }

static void encode(const std::vector<int64_t> &col, std::vector<PageHeader> &hdr, std::vector<uint32_t> &words)
{
    for (size_t p = 0; p * PAGE < col.size(); p++) {
        const int64_t *v = &col[p * PAGE];
        int64_t lo = v[0];
        for (int i = 1; i < PAGE; i++) if (v[i] < lo) lo = v[i];
        uint64_t all = 0;
        for (int i = 0; i < PAGE; i++) all |= (uint64_t)v[i] - (uint64_t)lo;
        PageHeader h = { lo, (uint32_t)words.size(), bitsNeeded(all) };
        words.resize(words.size() + (size_t)h.width * PAGE / 32, 0u);
        uint64_t bit = (uint64_t)h.firstWord * 32;
        for (int i = 0; i < PAGE; i++) {
            uint64_t d = (uint64_t)v[i] - (uint64_t)lo;
            for (unsigned k = 0; k < h.width; ) {
                unsigned off = bit & 31, take = 32 - off;
                if (take > h.width - k) take = h.width - k;
                words[bit >> 5] |= (uint32_t)(d >> k) << off;
                k += take; bit += take;
            }
        }
        hdr.push_back(h);
    }
    words.push_back(0); words.push_back(0);   // slack so that readers may look ahead
}

int main()
{
    const int pages = 768;
    std::vector<int64_t> col((size_t)pages * PAGE);
    uint64_t s = 88172645463325252ull;
    int64_t t = 1700000000000000ll;
    for (int p = 0; p < pages; p++) {
        int w = 3 + p % 31;                       // up to 33 bits of spread (about 2.4 h in microseconds)
        for (int i = 0; i < PAGE; i++) {
            s ^= s << 13; s ^= s >> 7; s ^= s << 17;
            col[(size_t)p * PAGE + i] = t + (int64_t)(s & ((1ull << w) - 1));
        }
        t += 1ll << w;
    }
    std::vector<PageHeader> hdr; std::vector<uint32_t> words;
    encode(col, hdr, words);

    PageHeader *dh; uint32_t *dw; int64_t *dout;
    CUDA_TRY(cudaMalloc(&dh, hdr.size() * sizeof(PageHeader)));
    CUDA_TRY(cudaMalloc(&dw, words.size() * 4));
    CUDA_TRY(cudaMalloc(&dout, col.size() * 8));
    CUDA_TRY(cudaMemcpy(dh, hdr.data(), hdr.size() * sizeof(PageHeader), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(dw, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
    for_decode<<<pages, PAGE>>>(dh, dw, dout);
    CUDA_TRY(cudaGetLastError());
    std::vector<int64_t> back(col.size());
    CUDA_TRY(cudaMemcpy(back.data(), dout, col.size() * 8, cudaMemcpyDeviceToHost));
    size_t bad = 0; uint64_t sum = 0;
    for (size_t i = 0; i < col.size(); i++) { bad += back[i] != col[i]; sum = sum * 1099511628211ull + (uint64_t)back[i]; }
    printf("%zu values, %.2f bits/value, mismatches %zu, hash %016llx\n", col.size(),
           32.0 * words.size() / col.size(), bad, (unsigned long long)sum);
    cudaFree(dh); cudaFree(dw); cudaFree(dout);
    return 0;
}
