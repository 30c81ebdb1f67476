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

static_assert(LEN == 16, "a read is one uint4 of codes and one word of packed bases");

// x: the 16 low bits of the codes in bits 0..15, the 16 high bits in bits 16..31;  n: 16 bits, set at an N
struct Packed { uint32_t x, n; };

__device__ __forceinline__ uint32_t gather4(uint32_t w)        // bit 0 of each byte -> 4 bits
{
    return ((w & 0x01010101u) * 0x01020408u) >> 24 & 15u;
}

__device__ __forceinline__ Packed packBases(uint4 q)
{
    const uint32_t w[4] = {q.x, q.y, q.z, q.w};
    Packed p = {0, 0};
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        p.x |= gather4(w[k]) << (4 * k) | gather4(w[k] >> 1) << (16 + 4 * k);
        p.n |= gather4(w[k] >> 2) << (4 * k);
    }
    return p;
}

// Two reads per thread; barcodes are packed by the block into shared memory, a chunk at a time. The samples are
// counted on the way.
constexpr int TB = 128, CHUNK = 512;
__global__ void __launch_bounds__(TB)
demux(const uint4* __restrict__ reads, int nReads, const uint4* __restrict__ barcodes, int nCodes, int maxMismatch,
      Call* __restrict__ calls, unsigned* __restrict__ perSample)
{
    __shared__ Packed code[CHUNK];
    const int r0 = blockIdx.x * 2 * TB + threadIdx.x;
    Packed rd[2];
    int best[2], second[2], who[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int r = r0 + k * TB;
        rd[k] = r < nReads ? packBases(reads[r]) : Packed{0, 0};
        best[k] = second[k] = LEN + 1;
        who[k] = -1;
    }

    for (int c0 = 0; c0 < nCodes; c0 += CHUNK) {
        const int nc = min(CHUNK, nCodes - c0);
        __syncthreads();                                       // the last chunk has been used
        for (int c = threadIdx.x; c < nc; c += TB) code[c] = packBases(barcodes[c0 + c]);
        __syncthreads();
        for (int c = 0; c < nc; c++) {
            const Packed b = code[c];
            #pragma unroll
            for (int k = 0; k < 2; k++) {
                const uint32_t x = rd[k].x ^ b.x;
                const int mm = __popc(((x | x >> 16) & 0xffffu) | rd[k].n | b.n);
                if (mm < best[k]) { second[k] = best[k]; best[k] = mm; who[k] = c0 + c; }
                else second[k] = min(second[k], mm);
            }
        }
    }

    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int r = r0 + k * TB;
        if (r >= nReads) continue;
        const int s = best[k] <= maxMismatch && best[k] < second[k] ? who[k] : -1;
        Call out;
        out.sample = (int16_t)s;
        out.mismatches = (uint8_t)best[k];
        out.margin = (uint8_t)(second[k] - best[k]);
        calls[r] = out;
        atomicAdd(&perSample[s < 0 ? nCodes : s], 1u);
    }
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

    demux<<<(nReads + 2 * TB - 1) / (2 * TB), TB>>>((const uint4*)dReads, nReads, (const uint4*)dCodes, nCodes,
                                                    maxMismatch, dCalls, dTally);
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
