// ChaCha20 encryption of a batch of packets lying back to back in one buffer (each with its own nonce and length).
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define MUST(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

struct Packet { uint32_t offset, len; uint32_t nonce[3]; };

__constant__ uint32_t c_key[8];

__device__ inline uint32_t rotl(uint32_t v, int n) { return (v << n) | (v >> (32 - n)); }
__device__ inline void quarter(uint32_t* s, int a, int b, int c, int d)
{
    s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 16);
    s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 12);
    s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 8);
    s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 7);
}

// blockIdx.y: packet; one thread per 64-byte block
__global__ void chacha20(const uint8_t* in, uint8_t* out, const Packet* pkts)
{
    Packet p = pkts[blockIdx.y];
    uint32_t blk = blockIdx.x * blockDim.x + threadIdx.x;
    if (blk * 64 >= p.len) return;
    uint32_t s[16], w[16];
    s[0] = 0x61707865; s[1] = 0x3320646e; s[2] = 0x79622d32; s[3] = 0x6b206574;
    for (int i = 0; i < 8; i++) s[4 + i] = c_key[i];
    s[12] = 1 + blk;
    for (int i = 0; i < 3; i++) s[13 + i] = p.nonce[i];
    for (int i = 0; i < 16; i++) w[i] = s[i];
    for (int r = 0; r < 10; r++) {
        quarter(w, 0, 4, 8, 12); quarter(w, 1, 5, 9, 13); quarter(w, 2, 6, 10, 14); quarter(w, 3, 7, 11, 15);
        quarter(w, 0, 5, 10, 15); quarter(w, 1, 6, 11, 12); quarter(w, 2, 7, 8, 13); quarter(w, 3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++) w[i] += s[i];
    for (uint32_t i = 0; i < 64 && blk * 64 + i < p.len; i++) {
        size_t at = (size_t)p.offset + blk * 64 + i;
        out[at] = in[at] ^ (uint8_t)(w[i / 4] >> (8 * (i % 4)));
    }
}

int main()
{
    const int nPkts = 900;
    const uint32_t maxLen = 1500;
    std::vector<Packet> pkts(nPkts);
    uint32_t s = 77, total = 0;
    auto rnd = [&]() { s = s * 747796405u + 2891336453u; uint32_t x = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u; return (x >> 22) ^ x; };
    for (int i = 0; i < nPkts; i++) {
        uint32_t kind = rnd() % 4;
        uint32_t len = kind == 0 ? maxLen : kind == 1 ? 64 + rnd() % 64 : kind == 2 ? 16 * (rnd() % 90) : rnd() % (maxLen + 1);
        pkts[i] = {total, len, {rnd(), rnd(), (uint32_t)i}};
        total += len;
        if (rnd() % 2) total = (total + 15) & ~15u;      // some senders align their packets
    }
    std::vector<uint8_t> plain(total), cipher(total);
    for (auto& b : plain) b = (uint8_t)rnd();
    uint32_t key[8];
    for (auto& k : key) k = rnd();

    uint8_t *dIn, *dOut; Packet* dPkts;
    MUST(cudaMalloc(&dIn, total));
    MUST(cudaMalloc(&dOut, total));
    MUST(cudaMalloc(&dPkts, nPkts * sizeof(Packet)));
    MUST(cudaMemcpyToSymbol(c_key, key, sizeof key));
    MUST(cudaMemcpy(dIn, plain.data(), total, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(dPkts, pkts.data(), nPkts * sizeof(Packet), cudaMemcpyHostToDevice));
    MUST(cudaMemset(dOut, 0, total));

    uint32_t maxBlk = (maxLen + 63) / 64;
    chacha20<<<dim3((maxBlk + 31) / 32, nPkts), 32>>>(dIn, dOut, dPkts);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(cipher.data(), dOut, total, cudaMemcpyDeviceToHost));

    uint64_t h = 14695981039346656037ull;
    for (uint8_t b : cipher) h = (h ^ b) * 1099511628211ull;
    printf("%d packets, %u bytes, fnv %016llx\n", nPkts, total, (unsigned long long)h);
    for (int i = 0; i < nPkts; i += 150) {
        printf("pkt %3d len %4u:", i, pkts[i].len);
        for (uint32_t k = 0; k < 8 && k < pkts[i].len; k++) printf(" %02x", cipher[pkts[i].offset + k]);
        printf("\n");
    }
    cudaFree(dIn); cudaFree(dOut); cudaFree(dPkts);
    return 0;
}
