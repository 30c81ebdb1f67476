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

__device__ int baseCode(char c)
{
    switch (c) {
    case 'A': case 'a': return 0;
    case 'C': case 'c': return 1;
    case 'G': case 'g': return 2;
    case 'T': case 't': return 3;
    default: return -1;
    }
}

// reads are stored one after another; read r is bases[first[r]] .. bases[first[r+1]-1].
// blockIdx.x = read, threads go over its windows
__global__ void countKmers(const char *bases, const int *first, uint32_t *table)
{
    const int begin = first[blockIdx.x], end = first[blockIdx.x + 1];
    for (int w = begin + (int)threadIdx.x; w + K <= end; w += blockDim.x) {
        uint32_t code = 0;
        bool ok = true;
        for (int j = 0; j < K; j++) {
            int b = baseCode(bases[w + j]);
            if (b < 0) { ok = false; break; }
            code = code << 2 | (uint32_t)b;
        }
        if (ok) atomicAdd(&table[code], 1u);
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

    countKmers<<<nReads, 128>>>(dBases, dFirst, dTable);
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
