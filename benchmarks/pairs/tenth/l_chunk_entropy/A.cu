// Entropy coder front end: per chunk byte histogram, then the price of a shannon code for the chunk
// (decides between "stored" and "coded").
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <vector>

#define CHUNK 16384
#define GPU_ASSERT(x) gpuAssert((x), __LINE__)
static inline void gpuAssert(cudaError_t c, int line)
{
    if (c != cudaSuccess) { fprintf(stderr, "GPU: %s (line %d)\n", cudaGetErrorString(c), line); exit((int)c); }
}

struct ChunkInfo {
    unsigned codedBytes;     // code table + payload
    unsigned symbols;        // distinct bytes
    unsigned stored;         // 1: coding does not pay
};

__global__ void histogram(const uint8_t *data, int n, unsigned *hist)
{
    int c = blockIdx.x;
    int begin = c * CHUNK;
    int end = min(begin + CHUNK, n);
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
        atomicAdd(&hist[c * 256 + data[i]], 1u);
}

// 256 threads, thread = symbol
__global__ void price(const unsigned *hist, int n, ChunkInfo *info)
{
    __shared__ unsigned bits[256];
    __shared__ unsigned used[256];
    int c = blockIdx.x, t = threadIdx.x;
    unsigned total = (unsigned)min(CHUNK, n - c * CHUNK);
    unsigned f = hist[c * 256 + t];
    unsigned len = 0;
    if (f) {
        while ((f << len) < total) len++;      // ceil(log2(total / f))
        if (len == 0) len = 1;
    }
    bits[t] = f * len;
    used[t] = f ? 1 : 0;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) { bits[t] += bits[t + d]; used[t] += used[t + d]; }
        __syncthreads();
    }
    if (t == 0) {
        unsigned coded = (bits[0] + 7) / 8 + used[0] + 2;
        info[c].codedBytes = coded;
        info[c].symbols = used[0];
        info[c].stored = coded >= total;
    }
}

int main()
{
    const int n = 61 * CHUNK + 4321;
    const int chunks = (n + CHUNK - 1) / CHUNK;
    std::vector<uint8_t> data(n);
    uint32_t s = 31337;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        uint32_t r = s >> 16;
        switch ((i / CHUNK) % 4) {
        case 0:  data[i] = (uint8_t)(r & 0xff); break;
        case 1:  data[i] = (uint8_t)((r & 15) * ((r >> 4) & 15)); break;
        case 2:  data[i] = (uint8_t)('a' + __builtin_ctz(r | 0x8000)); break;
        default: data[i] = (r % 50) ? 0 : (uint8_t)(r >> 7); break;
        }
    }
    uint8_t *d_data; unsigned *d_hist; ChunkInfo *d_info;
    GPU_ASSERT(cudaMalloc((void **)&d_data, n));
    GPU_ASSERT(cudaMalloc((void **)&d_hist, chunks * 256 * sizeof(unsigned)));
    GPU_ASSERT(cudaMalloc((void **)&d_info, chunks * sizeof(ChunkInfo)));
    GPU_ASSERT(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    GPU_ASSERT(cudaMemset(d_hist, 0, chunks * 256 * sizeof(unsigned)));

    histogram<<<chunks, 256>>>(d_data, n, d_hist);
    GPU_ASSERT(cudaGetLastError());
    price<<<chunks, 256>>>(d_hist, n, d_info);
    GPU_ASSERT(cudaGetLastError());

    std::vector<unsigned> hist(chunks * 256);
    std::vector<ChunkInfo> info(chunks);
    GPU_ASSERT(cudaMemcpy(hist.data(), d_hist, hist.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    GPU_ASSERT(cudaMemcpy(info.data(), d_info, info.size() * sizeof(ChunkInfo), cudaMemcpyDeviceToHost));
    unsigned long long total = 0, h = 0;
    unsigned stored = 0;
    for (int c = 0; c < chunks; c++) {
        stored += info[c].stored;
        total += info[c].stored ? (unsigned)CHUNK : info[c].codedBytes;
        for (int k = 0; k < 256; k++) h = h * 131 + hist[c * 256 + k];
        if (c % 10 == 0) printf("chunk %2d: %5u bytes, %3u symbols%s\n", c, info[c].codedBytes, info[c].symbols, info[c].stored ? " (stored)" : "");
    }
    printf("%d -> %llu bytes, %u stored, hist %016llx\n", n, total, stored, h);
    cudaFree(d_data); cudaFree(d_hist); cudaFree(d_info);
    return 0;
}
