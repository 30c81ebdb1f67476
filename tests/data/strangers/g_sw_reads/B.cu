// Smith-Waterman (affine gaps) scores of short reads against candidate reference windows.
// One thread aligns four read/window pairs at a time, one in each byte of a word (SIMD video instructions).
// Bases: 0..3 = ACGT, 4 = N (never matches).
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define GPU_CHECK(x) gpuCheck((x), #x, __LINE__)
static void gpuCheck(cudaError_t e, const char* s, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s -> %s\n", line, s, cudaGetErrorString(e));
    exit(1);
}

const int MAX_READ  = 256;     // longest read that the kernel takes
const int MATCH     = 2;
const int MISMATCH  = 3;       // penalties are positive numbers
const int GAP_OPEN  = 5;       // cost of the first gap base
const int GAP_EXT   = 1;

// Sequences come interleaved: word i of group g holds base i of pairs 4g .. 4g+3; groups are stored
// position-major, so that neighbouring threads read neighbouring words.
// Unsigned saturation gives the "never below 0" of local alignment for free.
__global__ void swScore4(const uint32_t* __restrict__ reads, const uint32_t* __restrict__ windows, int nGroups,
                         int readLen, int winLen, uint32_t* __restrict__ score)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= nGroups) return;
    const uint32_t M = MATCH * 0x01010101u, X = MISMATCH * 0x01010101u;
    const uint32_t GO = GAP_OPEN * 0x01010101u, GE = GAP_EXT * 0x01010101u;

    uint32_t H[MAX_READ], F[MAX_READ];
    for (int i = 0; i < readLen; i++) { H[i] = 0; F[i] = 0; }
    uint32_t best = 0;
    for (int j = 0; j < winLen; j++) {
        uint32_t rb = windows[(size_t)j * nGroups + g];
        uint32_t diag = 0, left = 0, E = 0;
        for (int i = 0; i < readLen; i++) {
            uint32_t eq = __vcmpeq4(reads[(size_t)i * nGroups + g], rb);
            uint32_t h = __vsubus4(__vaddus4(diag, eq & M), ~eq & X);
            uint32_t f = __vmaxu4(__vsubus4(F[i], GE), __vsubus4(H[i], GO));
            E = __vmaxu4(__vsubus4(E, GE), __vsubus4(left, GO));
            h = __vmaxu4(h, __vmaxu4(E, f));
            diag = H[i];
            H[i] = h; F[i] = f; left = h;
            best = __vmaxu4(best, h);
        }
    }
    score[g] = best;
}

// pack to the interleaved layout; an N in a read and an N in a window get different codes
static std::vector<uint32_t> interleave(const std::vector<uint8_t>& seq, int nPairs, int len, uint8_t nCode)
{
    int nGroups = (nPairs + 3) / 4;
    std::vector<uint32_t> out((size_t)nGroups * len);
    for (int g = 0; g < nGroups; g++)
        for (int i = 0; i < len; i++) {
            uint32_t w = 0;
            for (int k = 0; k < 4; k++) {
                int p = 4 * g + k;
                uint8_t b = p < nPairs ? seq[(size_t)p * len + i] : 4;
                w |= (uint32_t)(b < 4 ? b : nCode) << (8 * k);
            }
            out[(size_t)i * nGroups + g] = w;
        }
    return out;
}

static uint32_t lcg(uint32_t& s) { s = s * 1103515245u + 12345u; return s >> 16; }

int main()
{
    const int nPairs = 2050, readLen = 100, winLen = 116;
    std::vector<uint8_t> reads((size_t)nPairs * readLen), wins((size_t)nPairs * winLen);
    uint32_t s = 20240611u;
    for (int p = 0; p < nPairs; p++) {
        for (int j = 0; j < winLen; j++) wins[(size_t)p * winLen + j] = lcg(s) % 200 == 0 ? 4 : lcg(s) & 3;
        int errPct = p % 8 == 0 ? 60 : p % 12;
        int pos = lcg(s) % 12;
        for (int i = 0; i < readLen; i++) {
            uint32_t e = lcg(s) % 100;
            uint8_t b = wins[(size_t)p * winLen + std::min(pos, winLen - 1)];
            if ((int)e < errPct) {
                uint32_t kind = lcg(s) % 5;
                if (kind < 3) { b = lcg(s) & 3; pos++; }       // substitution
                else if (kind == 3) b = lcg(s) & 3;            // insertion
                else pos += 2;                                 // deletion
            } else pos++;
            reads[(size_t)p * readLen + i] = b;
        }
    }

    const int nGroups = (nPairs + 3) / 4;
    std::vector<uint32_t> reads4 = interleave(reads, nPairs, readLen, 4);
    std::vector<uint32_t> wins4  = interleave(wins, nPairs, winLen, 5);
    uint32_t *dReads, *dWins, *dScore;
    GPU_CHECK(cudaMalloc(&dReads, reads4.size() * 4));
    GPU_CHECK(cudaMalloc(&dWins, wins4.size() * 4));
    GPU_CHECK(cudaMalloc(&dScore, nGroups * 4));
    GPU_CHECK(cudaMemcpy(dReads, reads4.data(), reads4.size() * 4, cudaMemcpyHostToDevice));
    GPU_CHECK(cudaMemcpy(dWins, wins4.data(), wins4.size() * 4, cudaMemcpyHostToDevice));
    swScore4<<<(nGroups + 31) / 32, 32>>>(dReads, dWins, nGroups, readLen, winLen, dScore);
    GPU_CHECK(cudaGetLastError());
    std::vector<uint32_t> packed(nGroups);
    GPU_CHECK(cudaMemcpy(packed.data(), dScore, nGroups * 4, cudaMemcpyDeviceToHost));
    std::vector<int> score(nPairs);
    for (int p = 0; p < nPairs; p++) score[p] = (packed[p / 4] >> (8 * (p % 4))) & 0xff;

    long long sum = 0; int mx = 0, good = 0;
    for (int v : score) { sum += v; mx = std::max(mx, v); good += v >= 120; }
    printf("pairs %d  total score %lld  best %d  mapped %d\n", nPairs, sum, mx, good);
    for (int p = 0; p < nPairs; p += 411) printf("  pair %4d: %d\n", p, score[p]);
    cudaFree(dReads); cudaFree(dWins); cudaFree(dScore);
    return 0;
}
