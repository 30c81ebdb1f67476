// LSD radix sort of (key, row id) pairs, 8 bits per pass.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(call)                                                        \
    do {                                                                     \
        cudaError_t err__ = (call);                                          \
        if (err__ != cudaSuccess) {                                          \
            fprintf(stderr, "CUDA error %s at line %d\n",                    \
                    cudaGetErrorString(err__), __LINE__);                    \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)

constexpr int BITS  = 8;
constexpr int RADIX = 1 << BITS;
constexpr int TB    = 256;

__global__ void digitHistogram(const uint32_t *keys, uint32_t *hist, int n, int shift)
{
    __shared__ uint32_t h[RADIX];
    if (threadIdx.x < RADIX) h[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * TB + threadIdx.x;
    if (i < n) atomicAdd(&h[(keys[i] >> shift) & (RADIX - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < RADIX) hist[threadIdx.x * gridDim.x + blockIdx.x] = h[threadIdx.x];
}

// one block: exclusive scan of m values in place
__global__ void scanAll(uint32_t *v, int m)
{
    __shared__ uint32_t part[1024];
    int per = (m + 1023) / 1024;
    int lo = min(m, (int)threadIdx.x * per), hi = min(m, lo + per);
    uint32_t s = 0;
    for (int i = lo; i < hi; i++) s += v[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1) {
        uint32_t add = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
        __syncthreads();
        part[threadIdx.x] += add;
        __syncthreads();
    }
    uint32_t run = part[threadIdx.x] - s;
    for (int i = lo; i < hi; i++) { uint32_t t = v[i]; v[i] = run; run += t; }
}

__global__ void scatter(const uint32_t *__restrict__ keyIn, const uint32_t *__restrict__ valIn,
                        uint32_t *__restrict__ keyOut, uint32_t *__restrict__ valOut,
                        const uint32_t *__restrict__ hist, int n, int shift)
{
    // next free output position of every digit of this block
    __shared__ uint32_t next[RADIX];
    next[threadIdx.x] = hist[threadIdx.x * gridDim.x + blockIdx.x];
    __syncthreads();

    int i = blockIdx.x * TB + threadIdx.x;
    if (i < n) {
        uint32_t key = keyIn[i];
        uint32_t pos = atomicAdd(&next[(key >> shift) & (RADIX - 1)], 1u);
        keyOut[pos] = key;
        valOut[pos] = valIn[i];
    }
}

static_assert(TB == RADIX, "one thread per digit");

int main()
{
    const int n = 60000;
    const int blocks = (n + TB - 1) / TB;
    std::vector<uint32_t> k(n), v(n);
    uint64_t s = 88172645463325252ull;
    for (int i = 0; i < n; i++) {
        s ^= s << 7; s ^= s >> 9;
        k[i] = (uint32_t)(s % 20011u) * 104729u;
        v[i] = i;
    }

    uint32_t *k0, *v0, *k1, *v1, *hist;
    CUDA_OK(cudaMalloc(&k0, n * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc(&v0, n * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc(&k1, n * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc(&v1, n * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc(&hist, blocks * RADIX * sizeof(uint32_t)));
    CUDA_OK(cudaMemcpy(k0, k.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(v0, v.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));

    for (int shift = 0; shift < 32; shift += BITS) {
        digitHistogram<<<blocks, TB>>>(k0, hist, n, shift);
        scanAll<<<1, 1024>>>(hist, blocks * RADIX);
        scatter<<<blocks, TB>>>(k0, v0, k1, v1, hist, n, shift);
        CUDA_OK(cudaGetLastError());
        std::swap(k0, k1);
        std::swap(v0, v1);
    }

    CUDA_OK(cudaMemcpy(k.data(), k0, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(v.data(), v0, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    int bad = 0;
    uint32_t crc = 2166136261u;
    for (int i = 0; i < n; i++) {
        if (i && (k[i] < k[i - 1] || (k[i] == k[i - 1] && v[i] < v[i - 1]))) bad++;
        crc = (crc ^ k[i]) * 16777619u;
        crc = (crc ^ v[i]) * 16777619u;
    }
    printf("n=%d first=%u last=%u out of order=%d hash=%08x\n", n, k[0], k[n - 1], bad, crc);
    cudaFree(k0); cudaFree(v0); cudaFree(k1); cudaFree(v1); cudaFree(hist);
    return 0;
}
