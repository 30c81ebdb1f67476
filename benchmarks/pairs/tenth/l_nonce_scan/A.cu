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

__device__ inline uint32_t ror(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

__device__ void initState(uint32_t h[8])
{
    h[0] = 0x6a09e667; h[1] = 0xbb67ae85; h[2] = 0x3c6ef372; h[3] = 0xa54ff53a;
    h[4] = 0x510e527f; h[5] = 0x9b05688c; h[6] = 0x1f83d9ab; h[7] = 0x5be0cd19;
}

__device__ void compress(uint32_t h[8], const uint32_t m[16])
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++) w[i] = m[i];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    for (int i = 0; i < 8; i++) v[i] = h[i];
    for (int i = 0; i < 64; i++) {
        uint32_t S1 = ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25);
        uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + S1 + ch + K[i] + w[i];
        uint32_t S0 = ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22);
        uint32_t mj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t2 = S0 + mj;
        v[7] = v[6]; v[6] = v[5]; v[5] = v[4]; v[4] = v[3] + t1;
        v[3] = v[2]; v[2] = v[1]; v[1] = v[0]; v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

__global__ void scan(uint32_t nonce0, int count, uint32_t target, uint32_t *firstWord, Result *res)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint32_t nonce = nonce0 + i;

    uint32_t h[8], m[16];
    initState(h);
    for (int k = 0; k < 16; k++) m[k] = header[k];
    compress(h, m);
    for (int k = 0; k < 16; k++) m[k] = 0;
    m[0] = header[16]; m[1] = header[17]; m[2] = header[18]; m[3] = nonce;
    m[4] = 0x80000000u;
    m[15] = 640;
    compress(h, m);

    for (int k = 0; k < 8; k++) m[k] = h[k];
    m[8] = 0x80000000u;
    for (int k = 9; k < 15; k++) m[k] = 0;
    m[15] = 256;
    initState(h);
    compress(h, m);

    firstWord[i] = h[0];
    atomicMin(&res->best, ((unsigned long long)h[0] << 32) | nonce);
    if (h[0] < target) atomicAdd(&res->below, 1u);
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
