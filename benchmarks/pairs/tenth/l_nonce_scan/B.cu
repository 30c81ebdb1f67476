// Double SHA-256 over 80 byte headers, one nonce per thread (proof of work toy).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CUDA_TRY(e)                                                                   \
    do {                                                                              \
        cudaError_t rc_ = (e);                                                        \
        if (rc_ != cudaSuccess) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__constant__ uint32_t header[19];     // 76 bytes, big endian words; the nonce is word 19

struct Result {
    unsigned long long best;          // (first digest word << 32) | nonce
    unsigned int below;               // how many are under the target
};

__device__ __forceinline__ uint32_t ror(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

__device__ __forceinline__ void initState(uint32_t h[8])
{
    h[0] = 0x6a09e667; h[1] = 0xbb67ae85; h[2] = 0x3c6ef372; h[3] = 0xa54ff53a;
    h[4] = 0x510e527f; h[5] = 0x9b05688c; h[6] = 0x1f83d9ab; h[7] = 0x5be0cd19;
}

// the schedule is a rolling window of 16 words that stays in registers (m is consumed)
__device__ __forceinline__ void compress(uint32_t h[8], uint32_t m[16])
{
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        uint32_t wi;
        if (i < 16) {
            wi = m[i];
        } else {
            uint32_t p = m[(i + 1) & 15], q = m[(i + 14) & 15];
            uint32_t s0 = ror(p, 7) ^ ror(p, 18) ^ (p >> 3);
            uint32_t s1 = ror(q, 17) ^ ror(q, 19) ^ (q >> 10);
            wi = m[i & 15] + s0 + m[(i + 9) & 15] + s1;
            m[i & 15] = wi;
        }
        uint32_t t1 = hh + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + (g ^ (e & (f ^ g))) + K[i] + wi;
        uint32_t t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) | (c & (a | b)));
        hh = g; g = f; f = e; e = d + t1;
        d = c; c = b; b = a; a = t1 + t2;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d;
    h[4] += e; h[5] += f; h[6] += g; h[7] += hh;
}

__global__ void __launch_bounds__(128)
scan(uint32_t nonce0, int count, uint32_t target, uint32_t *__restrict__ firstWord, Result *res)
{
    __shared__ uint32_t mid[8];                     // state after the first 64 bytes, same for all nonces
    __shared__ unsigned long long warpBest[32];
    __shared__ unsigned int warpBelow[32];

    if (threadIdx.x == 0) {
        uint32_t h[8], m[16];
        initState(h);
#pragma unroll
        for (int k = 0; k < 16; k++) m[k] = header[k];
        compress(h, m);
#pragma unroll
        for (int k = 0; k < 8; k++) mid[k] = h[k];
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long best = ~0ull;
    bool hit = false;
    if (i < count) {
        uint32_t nonce = nonce0 + i;
        uint32_t h[8], m[16];
#pragma unroll
        for (int k = 0; k < 8; k++) h[k] = mid[k];
        m[0] = header[16]; m[1] = header[17]; m[2] = header[18]; m[3] = nonce;
        m[4] = 0x80000000u;
#pragma unroll
        for (int k = 5; k < 15; k++) m[k] = 0;
        m[15] = 640;
        compress(h, m);

#pragma unroll
        for (int k = 0; k < 8; k++) m[k] = h[k];
        m[8] = 0x80000000u;
#pragma unroll
        for (int k = 9; k < 15; k++) m[k] = 0;
        m[15] = 256;
        initState(h);
        compress(h, m);

        firstWord[i] = h[0];
        best = ((unsigned long long)h[0] << 32) | nonce;
        hit = h[0] < target;
    }

    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    unsigned int votes = __popc(__ballot_sync(0xffffffffu, hit));
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        unsigned long long o = __shfl_xor_sync(0xffffffffu, best, d);
        if (o < best) best = o;
    }
    if (lane == 0) { warpBest[wid] = best; warpBelow[wid] = votes; }
    __syncthreads();
    if (threadIdx.x == 0) {
        const int nw = blockDim.x >> 5;
        for (int w = 1; w < nw; w++) {
            if (warpBest[w] < best) best = warpBest[w];
            votes += warpBelow[w];
        }
        atomicMin(&res->best, best);
        if (votes) atomicAdd(&res->below, votes);
    }
}

int main()
{
    const int count = 18500;
    uint32_t hd[19];
    for (int i = 0; i < 19; i++) hd[i] = 0x01000000u + (uint32_t)i * 0x9e3779b9u;
    CUDA_TRY(cudaMemcpyToSymbol(header, hd, sizeof hd));

    uint32_t *dFirst; Result *dRes, res;
    res.best = ~0ull;
    res.below = 0;
    CUDA_TRY(cudaMalloc(&dFirst, count * sizeof(uint32_t)));
    CUDA_TRY(cudaMalloc(&dRes, sizeof(Result)));
    CUDA_TRY(cudaMemcpy(dRes, &res, sizeof res, cudaMemcpyHostToDevice));

    scan<<<(count + 127) / 128, 128>>>(0xfffff000u, count, 0x01000000u, dFirst, dRes);
    CUDA_TRY(cudaGetLastError());

    uint32_t *first = (uint32_t *)malloc(count * sizeof(uint32_t));
    CUDA_TRY(cudaMemcpy(first, dFirst, count * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(&res, dRes, sizeof res, cudaMemcpyDeviceToHost));
    uint32_t x = 0;
    for (int i = 0; i < count; i++) x = x * 33 + first[i];
    printf("best %08x at nonce %08x, %u below target, fold %08x\n",
           (uint32_t)(res.best >> 32), (uint32_t)res.best, res.below, x);
    free(first);
    CUDA_TRY(cudaFree(dFirst));
    CUDA_TRY(cudaFree(dRes));
    return 0;
}
