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

#define FULL 0xffffffffu
#define ROT(v, k) __shfl_sync(FULL, v, (col + (k)) & 3, 4)

// four lanes share one 64 byte block, lane c keeps column c of the state in registers;
// the diagonal rounds rotate the rows with shuffles. Loads and stores are coalesced.
__global__ void __launch_bounds__(128)
chacha20_xor(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, int nwords,
             uint32_t ctrLo, uint32_t ctrHi)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int blk = t >> 2;
    int col = t & 3;

    const uint32_t a0 = c_sigma[col];
    const uint32_t b0 = c_key[col];
    const uint32_t c0 = c_key[4 + col];
    uint32_t d0;
    if (col == 0)      d0 = ctrLo + (uint32_t)blk;
    else if (col == 1) d0 = ctrHi;
    else               d0 = c_nonce[col - 2];

    uint32_t a = a0, b = b0, c = c0, d = d0;
#pragma unroll
    for (int r = 0; r < 10; r++) {
        qr(a, b, c, d);
        b = ROT(b, 1); c = ROT(c, 2); d = ROT(d, 3);
        qr(a, b, c, d);
        b = ROT(b, 3); c = ROT(c, 2); d = ROT(d, 1);
    }
    a += a0; b += b0; c += c0; d += d0;

    int w = blk * 16 + col;
    if (w < nwords)      out[w]      = in[w]      ^ a;
    if (w + 4 < nwords)  out[w + 4]  = in[w + 4]  ^ b;
    if (w + 8 < nwords)  out[w + 8]  = in[w + 8]  ^ c;
    if (w + 12 < nwords) out[w + 12] = in[w + 12] ^ d;
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
    int lanes = blocks * 4;
    chacha20_xor<<<(lanes + 127) / 128, 128>>>(dIn, dOut, nwords,
                                               (uint32_t)startBlock, (uint32_t)(startBlock >> 32));
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
