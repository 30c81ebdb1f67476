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

#define THREADS 256
#define WARPS (THREADS / 32)

__device__ __forceinline__ void count4(unsigned *h, unsigned v)
{
    atomicAdd(&h[v & 255], 1u);
    atomicAdd(&h[(v >> 8) & 255], 1u);
    atomicAdd(&h[(v >> 16) & 255], 1u);
    atomicAdd(&h[v >> 24], 1u);
}

// histogram and price of a chunk in one block: a private histogram per warp in shared memory,
// 16 byte loads (chunks start on multiples of CHUNK), counts are stored, not accumulated in memory
__global__ void __launch_bounds__(THREADS)
histogramAndPrice(const uint8_t *__restrict__ data, int n, unsigned *__restrict__ hist, ChunkInfo *__restrict__ info)
{
    __shared__ unsigned sub[WARPS][256];
    __shared__ unsigned wBits[WARPS], wUsed[WARPS];
    const int c = blockIdx.x, t = threadIdx.x;
    const int warp = t >> 5, lane = t & 31;
    const int begin = c * CHUNK;
    const int total = min(CHUNK, n - begin);

    for (int i = t; i < WARPS * 256; i += THREADS) (&sub[0][0])[i] = 0;
    __syncthreads();

    unsigned *mine = sub[warp];
    const uint4 *v = reinterpret_cast<const uint4 *>(data + begin);
    const int nvec = total / 16;
    for (int i = t; i < nvec; i += THREADS) {
        uint4 q = v[i];
        count4(mine, q.x);
        count4(mine, q.y);
        count4(mine, q.z);
        count4(mine, q.w);
    }
    for (int i = nvec * 16 + t; i < total; i += THREADS)
        atomicAdd(&mine[data[begin + i]], 1u);
    __syncthreads();

    unsigned f = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) f += sub[w][t];
    hist[c * 256 + t] = f;

    unsigned len = 0;
    if (f) {
        while ((f << len) < (unsigned)total) len++;      // ceil(log2(total / f))
        if (len == 0) len = 1;
    }
    unsigned bits = f * len;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) bits += __shfl_down_sync(0xffffffffu, bits, d);
    unsigned used = __popc(__ballot_sync(0xffffffffu, f != 0));
    if (lane == 0) { wBits[warp] = bits; wUsed[warp] = used; }
    __syncthreads();
    if (t == 0) {
        unsigned b = 0, u = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) { b += wBits[w]; u += wUsed[w]; }
        unsigned coded = (b + 7) / 8 + u + 2;
        info[c].codedBytes = coded;
        info[c].symbols = u;
        info[c].stored = coded >= (unsigned)total;
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

    histogramAndPrice<<<chunks, THREADS>>>(d_data, n, d_hist, d_info);
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
