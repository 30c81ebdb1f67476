// ChaCha20 (original djb layout: 64 bit block counter, 64 bit nonce) - counter mode on the GPU.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(2); }
}

__constant__ uint32_t c_key[8];
__constant__ uint32_t c_nonce[2];
__constant__ uint32_t c_sigma[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};

__device__ __forceinline__ uint32_t rotl(uint32_t x, int n) { return (x << n) | (x >> (32 - n)); }

__device__ __forceinline__ void qr(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d)
{
    a += b; d ^= a; d = rotl(d, 16);
    c += d; b ^= c; b = rotl(b, 12);
    a += b; d ^= a; d = rotl(d, 8);
    c += d; b ^= c; b = rotl(b, 7);
}

// one thread = one 64 byte block; startBlock lets a caller continue a stream anywhere
__global__ void chacha20_xor(const uint32_t *in, uint32_t *out, int nwords, uint64_t startBlock)
{
    int blk = blockIdx.x * blockDim.x + threadIdx.x;
    if (blk >= (nwords + 15) / 16) return;
    uint64_t ctr = startBlock + (uint64_t)blk;

    uint32_t s[16], x[16];
    for (int i = 0; i < 4; i++) s[i] = c_sigma[i];
    for (int i = 0; i < 8; i++) s[4 + i] = c_key[i];
    s[12] = (uint32_t)ctr;
    s[13] = (uint32_t)(ctr >> 32);
    s[14] = c_nonce[0];
    s[15] = c_nonce[1];
    for (int i = 0; i < 16; i++) x[i] = s[i];

    for (int r = 0; r < 10; r++) {
        qr(x[0], x[4], x[8],  x[12]);
        qr(x[1], x[5], x[9],  x[13]);
        qr(x[2], x[6], x[10], x[14]);
        qr(x[3], x[7], x[11], x[15]);
        qr(x[0], x[5], x[10], x[15]);
        qr(x[1], x[6], x[11], x[12]);
        qr(x[2], x[7], x[8],  x[13]);
        qr(x[3], x[4], x[9],  x[14]);
    }
    for (int i = 0; i < 16; i++) {
        int w = blk * 16 + i;
        if (w < nwords) out[w] = in[w] ^ (x[i] + s[i]);
    }
}

int main()
{
    const int nwords = 16 * 5000 + 5;
    const uint64_t startBlock = 0x100000007ull;   // resume in the middle of a long stream
    uint32_t key[8], nonce[2] = {0x4a000000u, 0x00c0ffeeu};
    for (int i = 0; i < 8; i++) key[i] = 0x03020100u + 0x04040404u * i;

    std::vector<uint32_t> msg(nwords), enc(nwords);
    uint32_t h = 1;
    for (int i = 0; i < nwords; i++) { h ^= h << 13; h ^= h >> 17; h ^= h << 5; msg[i] = h & 0x7f7f7f7f; }

    uint32_t *dIn, *dOut;
    size_t bytes = nwords * sizeof(uint32_t);
    check(cudaMalloc(&dIn, bytes), "malloc in");
    check(cudaMalloc(&dOut, bytes), "malloc out");
    check(cudaMemcpyToSymbol(c_key, key, sizeof key), "key");
    check(cudaMemcpyToSymbol(c_nonce, nonce, sizeof nonce), "nonce");
    check(cudaMemcpy(dIn, msg.data(), bytes, cudaMemcpyHostToDevice), "h2d");

    int blocks = (nwords + 15) / 16;
    chacha20_xor<<<(blocks + 127) / 128, 128>>>(dIn, dOut, nwords, startBlock);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(enc.data(), dOut, bytes, cudaMemcpyDeviceToHost), "d2h");

    uint64_t sum = 0;
    for (int i = 0; i < nwords; i++) sum = sum * 1099511628211ull + enc[i];
    for (int i = 0; i < 4; i++) printf("%08x ", enc[i]);
    printf("... %08x\nfnv %016llx\n", enc[nwords - 1], (unsigned long long)sum);
    cudaFree(dIn);
    cudaFree(dOut);
    return 0;
}
