// Demultiplexing of sequencing reads: assign every index read to the sample whose barcode is nearest in Hamming
// distance, if it is near enough and nearer than any other. Base codes: 0..3 = ACGT, 4 = N; an N never matches.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define RUN(call)                                                                                   \
    if (cudaError_t err = (call)) {                                                                 \
        std::fprintf(stderr, #call " failed in line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
        std::exit(EXIT_FAILURE);                                                                    \
    }

constexpr int LEN = 16;          // bases of a barcode

struct Call { int16_t sample; uint8_t mismatches, margin; };     // sample -1: undetermined

__global__ void demux(const uint8_t* reads, int nReads, const uint8_t* barcodes, int nCodes, int maxMismatch, Call* calls)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= nReads) return;
    int best = LEN + 1, second = LEN + 1, who = -1;
    for (int c = 0; c < nCodes; c++) {
        int mm = 0;
        for (int i = 0; i < LEN; i++) {
            uint8_t a = reads[(size_t)r * LEN + i], b = barcodes[c * LEN + i];
            if (a != b || a == 4) mm++;
        }
        if (mm < best) { second = best; best = mm; who = c; }
        else if (mm < second) second = mm;
    }
    Call k;
    k.sample = (int16_t)(best <= maxMismatch && best < second ? who : -1);
    k.mismatches = (uint8_t)best;
    k.margin = (uint8_t)(second - best);
    calls[r] = k;
}

__global__ void tally(const Call* calls, int nReads, int nCodes, unsigned* perSample)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= nReads) return;
    int s = calls[r].sample;
    atomicAdd(&perSample[s < 0 ? nCodes : s], 1u);
}

int main()
{
    const int nReads = 12345, nCodes = 193, maxMismatch = 2;
    std::vector<uint8_t> codes(nCodes * LEN), reads((size_t)nReads * LEN);
    uint64_t st = 0x2545F4914F6CDD1Dull;
    auto rnd = [&](unsigned m) { st ^= st >> 12; st ^= st << 25; st ^= st >> 27; return (unsigned)((st * 2685821657736338717ull) >> 33) % m; };
    for (auto& b : codes) b = (uint8_t)rnd(4);
    for (int i = 0; i < LEN; i++) codes[7 * LEN + i] = codes[3 * LEN + i];      // a near twin: only one base differs
    codes[7 * LEN + 5] ^= 1;
    codes[11 * LEN + 2] = 4;                                                     // a wildcard that matches nothing
    for (int r = 0; r < nReads; r++) {
        int c = rnd(nCodes), noise = rnd(10) == 0 ? 40 : 4;
        for (int i = 0; i < LEN; i++) {
            uint8_t b = codes[c * LEN + i];
            if ((int)rnd(100) < noise) b = (uint8_t)rnd(5);
            reads[(size_t)r * LEN + i] = b;
        }
    }

    uint8_t *dReads, *dCodes; Call* dCalls; unsigned* dTally;
    RUN(cudaMalloc(&dReads, reads.size()));
    RUN(cudaMalloc(&dCodes, codes.size()));
    RUN(cudaMalloc(&dCalls, nReads * sizeof(Call)));
    RUN(cudaMalloc(&dTally, (nCodes + 1) * sizeof(unsigned)));
    RUN(cudaMemcpy(dReads, reads.data(), reads.size(), cudaMemcpyHostToDevice));
    RUN(cudaMemcpy(dCodes, codes.data(), codes.size(), cudaMemcpyHostToDevice));
    RUN(cudaMemset(dTally, 0, (nCodes + 1) * sizeof(unsigned)));

    demux<<<(nReads + 127) / 128, 128>>>(dReads, nReads, dCodes, nCodes, maxMismatch, dCalls);
    RUN(cudaGetLastError());
    tally<<<(nReads + 127) / 128, 128>>>(dCalls, nReads, nCodes, dTally);
    RUN(cudaGetLastError());

    std::vector<Call> calls(nReads);
    std::vector<unsigned> count(nCodes + 1);
    RUN(cudaMemcpy(calls.data(), dCalls, nReads * sizeof(Call), cudaMemcpyDeviceToHost));
    RUN(cudaMemcpy(count.data(), dTally, count.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned long long h = 0;
    for (auto& c : calls) h = h * 1099511628211ull + (unsigned)(c.sample + 1) * 65536u + c.mismatches * 256u + c.margin;
    std::printf("%d reads, undetermined %u, hash %016llx\n", nReads, count[nCodes], h);
    for (int c = 0; c < nCodes; c += 24) std::printf("sample %3d: %u\n", c, count[c]);
    cudaFree(dReads); cudaFree(dCodes); cudaFree(dCalls); cudaFree(dTally);
    return 0;
}
