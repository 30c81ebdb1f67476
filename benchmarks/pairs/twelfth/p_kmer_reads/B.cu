// Count all 9-mers of a set of sequencing reads. A window that contains anything but
// A, C, G or T (any case) is not counted.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <string>
#include <vector>
#include <cuda_runtime.h>

constexpr int K = 9;
constexpr int BINS = 1 << (2 * K);

#define CHECK(expr)                                                              \
    if (cudaError_t status = (expr); status != cudaSuccess) {                    \
        std::fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(status)); \
        std::exit(1);                                                            \
    }

constexpr int RUN = 8;              // windows per thread
constexpr uint32_t MASK = BINS - 1;

// 2-bit code by arithmetic: (c >> 1) gives A=0 C=1 T=2 G=3, so swap the last two
__device__ __forceinline__ int baseCode(char c)
{
    const char u = c & ~0x20;
    if (u != 'A' && u != 'C' && u != 'G' && u != 'T') return -1;
    const int x = (u >> 1) & 3;
    return x ^ (x >> 1);
}

// reads are stored one after another; read r is bases[first[r]] .. bases[first[r+1]-1].
// One warp per read; a thread rolls its code over RUN neighbouring windows, so that a base
// is decoded (K + RUN - 1) / RUN times instead of K times.
__global__ void countKmers(const char *__restrict__ bases, const int *__restrict__ first,
                           uint32_t *__restrict__ table, int nReads)
{
    const int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= nReads) return;
    const int begin = first[r], end = first[r + 1];
    for (int w0 = begin + (int)threadIdx.x * RUN; w0 + K <= end; w0 += 32 * RUN) {
        const int stop = min(w0 + RUN + K - 1, end);
        uint32_t code = 0;
        int bad = K - 1;            // bases to go until the window is full and clean
        for (int p = w0; p < stop; p++) {
            const int b = baseCode(bases[p]);
            code = (code << 2 | (uint32_t)(b & 3)) & MASK;
            if (b < 0) bad = K - 1;
            if (bad == 0) atomicAdd(&table[code], 1u);
            else bad--;
        }
    }
}

int main()
{
    const int nReads = 1200;
    std::string bases;
    std::vector<int> first(1, 0);
    uint32_t s = 20240611u;
    auto rnd = [&s]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    std::string genome(40000, 'A');
    for (auto &c : genome) c = "ACGT"[rnd() >> 11 & 3];
    for (int r = 0; r < nReads; r++) {
        int len = 90 + (int)(rnd() % 61u);
        int at = (int)(rnd() % (uint32_t)(genome.size() - 200));
        std::string read = genome.substr(at, len);
        if (rnd() % 4u == 0)                    // low quality tail masked
            for (int t = (int)(rnd() % 12u); t > 0; t--) read[len - t] = 'N';
        bases += read;
        first.push_back((int)bases.size());
    }

    char *dBases;
    int *dFirst;
    uint32_t *dTable;
    CHECK(cudaMalloc(&dBases, bases.size()));
    CHECK(cudaMalloc(&dFirst, first.size() * sizeof(int)));
    CHECK(cudaMalloc(&dTable, BINS * sizeof(uint32_t)));
    CHECK(cudaMemcpy(dBases, bases.data(), bases.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dFirst, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dTable, 0, BINS * sizeof(uint32_t)));

    countKmers<<<(nReads + 3) / 4, dim3(32, 4)>>>(dBases, dFirst, dTable, nReads);
    CHECK(cudaGetLastError());

    std::vector<uint32_t> table(BINS);
    CHECK(cudaMemcpy(table.data(), dTable, BINS * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    uint64_t total = 0, distinct = 0, h = 14695981039346656037ull;
    uint32_t best = 0, bestCode = 0;
    for (int c = 0; c < BINS; c++) {
        total += table[c];
        distinct += table[c] != 0;
        if (table[c] > best) { best = table[c]; bestCode = c; }
        h = (h ^ table[c]) * 1099511628211ull;
    }
    std::printf("windows %llu distinct %llu top code %u (%u times) hash %016llx\n",
                (unsigned long long)total, (unsigned long long)distinct, bestCode, best,
                (unsigned long long)h);
    cudaFree(dBases); cudaFree(dFirst); cudaFree(dTable);
    return 0;
}
