// Smith-Waterman (affine gaps) scores of short reads against candidate reference windows.
// One thread aligns one read/window pair. Bases: 0..3 = ACGT, 4 = N (never matches).
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

__global__ void swScore(const uint8_t* reads, const uint8_t* windows, int nPairs, int readLen, int winLen, int* score)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= nPairs) return;
    const uint8_t* q = reads + (size_t)p * readLen;
    const uint8_t* r = windows + (size_t)p * winLen;

    int H[MAX_READ], F[MAX_READ];
    for (int i = 0; i < readLen; i++) { H[i] = 0; F[i] = 0; }
    int best = 0;
    for (int j = 0; j < winLen; j++) {
        int rb = r[j];
        int diag = 0, left = 0, E = 0;
        for (int i = 0; i < readLen; i++) {
            int qb = q[i];
            int s = (qb == rb && qb < 4) ? MATCH : -MISMATCH;
            int f = max(F[i] - GAP_EXT, H[i] - GAP_OPEN);
            E = max(E - GAP_EXT, left - GAP_OPEN);
            int h = max(max(0, diag + s), max(E, f));
            diag = H[i];
            H[i] = h; F[i] = f; left = h;
            best = max(best, h);
        }
    }
    score[p] = best;
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

    uint8_t *dReads, *dWins; int* dScore;
    GPU_CHECK(cudaMalloc(&dReads, reads.size()));
    GPU_CHECK(cudaMalloc(&dWins, wins.size()));
    GPU_CHECK(cudaMalloc(&dScore, nPairs * sizeof(int)));
    GPU_CHECK(cudaMemcpy(dReads, reads.data(), reads.size(), cudaMemcpyHostToDevice));
    GPU_CHECK(cudaMemcpy(dWins, wins.data(), wins.size(), cudaMemcpyHostToDevice));
    swScore<<<(nPairs + 63) / 64, 64>>>(dReads, dWins, nPairs, readLen, winLen, dScore);
    GPU_CHECK(cudaGetLastError());
    std::vector<int> score(nPairs);
    GPU_CHECK(cudaMemcpy(score.data(), dScore, nPairs * sizeof(int), cudaMemcpyDeviceToHost));

    long long sum = 0; int mx = 0, good = 0;
    for (int v : score) { sum += v; mx = std::max(mx, v); good += v >= 120; }
    printf("pairs %d  total score %lld  best %d  mapped %d\n", nPairs, sum, mx, good);
    for (int p = 0; p < nPairs; p += 411) printf("  pair %4d: %d\n", p, score[p]);
    cudaFree(dReads); cudaFree(dWins); cudaFree(dScore);
    return 0;
}
