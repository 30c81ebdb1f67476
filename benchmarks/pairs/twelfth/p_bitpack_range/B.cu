// Range predicate over a bit-packed, dictionary-encoded column: every chunk of 2048 values
// has its own width (1..32 bits) and base. Counts rows with lo <= value <= hi and sums them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHUNK_VALUES 2048

#define cuda_check(expr) do { \
    cudaError_t _e = (expr); \
    if (_e != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorName(_e)); exit(1); } \
  } while (0)

struct Chunk {
    uint32_t word;      // first 32-bit word in the packed stream
    uint32_t base;      // frame of reference
    uint8_t  width;     // bits per value, 1..32
    uint16_t count;     // values in this chunk, <= CHUNK_VALUES
};

struct Result {
    unsigned long long rows;
    unsigned long long sum;
};

#define THREADS 256

// One block per chunk. The packed words of THREADS values (exactly 8 * width words, so every
// piece starts on a word) are staged in shared memory; the counts stay in registers and
// go out once per block.
__global__ void scan_range(const uint32_t *__restrict__ packed, const Chunk *__restrict__ chunks,
                           uint32_t lo, uint32_t hi, Result *res)
{
    __shared__ uint32_t words[THREADS + 1];                 // 8 * 32, and one for the funnel
    __shared__ unsigned long long part[THREADS / 32][2];

    const Chunk c = chunks[blockIdx.x];
    const uint32_t width = c.width, count = c.count;
    const uint32_t mask = 0xffffffffu >> (32 - width);
    const uint32_t total = (count * width + 31) / 32;       // words of the chunk
    const uint32_t per = THREADS / 32 * width;              // words of a piece

    const uint32_t bit = threadIdx.x * width;
    const uint32_t w = bit >> 5, sh = bit & 31;

    if (threadIdx.x == 0) words[per] = 0;
    unsigned long long rows = 0, sum = 0;
    for (uint32_t first = 0, from = 0; first < count; first += THREADS, from += per) {
        if (threadIdx.x < per)
            words[threadIdx.x] = from + threadIdx.x < total ? packed[c.word + from + threadIdx.x] : 0u;
        __syncthreads();
        if (first + threadIdx.x < count) {
            const uint32_t v = c.base + (__funnelshift_r(words[w], words[w + 1], sh) & mask);
            if (v >= lo && v <= hi) {
                rows++;
                sum += v;
            }
        }
        __syncthreads();
    }

    for (int d = 16; d > 0; d >>= 1) {
        rows += __shfl_down_sync(0xffffffffu, rows, d);
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    }
    if ((threadIdx.x & 31) == 0) {
        part[threadIdx.x >> 5][0] = rows;
        part[threadIdx.x >> 5][1] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        unsigned long long t = 0;
        for (int k = 0; k < THREADS / 32; k++) t += part[k][threadIdx.x];
        if (t) atomicAdd(threadIdx.x == 0 ? &res->rows : &res->sum, t);
    }
}

static uint32_t lcg(uint32_t &s) { s = s * 1103515245u + 12345u; return s ^ (s >> 15); }

int main()
{
    const int nChunks = 120;
    std::vector<Chunk> chunks(nChunks);
    std::vector<uint32_t> packed;
    uint32_t s = 3;
    for (int k = 0; k < nChunks; k++) {
        Chunk &c = chunks[k];
        c.word = (uint32_t)packed.size();
        c.width = (uint8_t)(1 + (k * 7) % 32);
        c.count = (uint16_t)(k % 5 == 4 ? 1 + lcg(s) % CHUNK_VALUES : CHUNK_VALUES);
        c.base = c.width > 24 ? 0 : 1000u * (k % 50);
        packed.resize(packed.size() + ((size_t)c.count * c.width + 31) / 32, 0u);
        for (uint32_t i = 0; i < c.count; i++) {
            uint64_t v = lcg(s) & ((1ull << c.width) - 1);
            uint32_t bit = i * c.width;
            v <<= bit & 31;
            packed[c.word + (bit >> 5)] |= (uint32_t)v;
            if (v >> 32) packed[c.word + (bit >> 5) + 1] |= (uint32_t)(v >> 32);
        }
    }

    uint32_t *d_packed;
    Chunk *d_chunks;
    Result *d_res;
    cuda_check(cudaMalloc(&d_packed, packed.size() * sizeof(uint32_t)));
    cuda_check(cudaMalloc(&d_chunks, nChunks * sizeof(Chunk)));
    cuda_check(cudaMalloc(&d_res, sizeof(Result)));
    cuda_check(cudaMemcpy(d_packed, packed.data(), packed.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_chunks, chunks.data(), nChunks * sizeof(Chunk), cudaMemcpyHostToDevice));

    const uint32_t range[3][2] = {{0u, 0xffffffffu}, {5000u, 60000u}, {100000u, 2000000000u}};
    for (int q = 0; q < 3; q++) {
        cuda_check(cudaMemset(d_res, 0, sizeof(Result)));
        scan_range<<<nChunks, THREADS>>>(d_packed, d_chunks, range[q][0], range[q][1], d_res);
        cuda_check(cudaGetLastError());
        Result r;
        cuda_check(cudaMemcpy(&r, d_res, sizeof r, cudaMemcpyDeviceToHost));
        printf("[%u, %u]: %llu rows, sum %llu\n", range[q][0], range[q][1], r.rows, r.sum);
    }
    cuda_check(cudaFree(d_packed));
    cuda_check(cudaFree(d_chunks));
    cuda_check(cudaFree(d_res));
    return 0;
}
