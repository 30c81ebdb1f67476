// ChaCha20 encryption of a batch of packets lying back to back in one buffer (each with its own nonce and length).
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define MUST(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

struct Packet { uint32_t offset, len; uint32_t nonce[3]; };

__constant__ uint32_t c_key[8];

template <int N> __device__ __forceinline__ uint32_t rotl(uint32_t v) { return __funnelshift_l(v, v, N); }
template <> __device__ __forceinline__ uint32_t rotl<16>(uint32_t v) { return __byte_perm(v, v, 0x1032); }
template <> __device__ __forceinline__ uint32_t rotl<8>(uint32_t v)  { return __byte_perm(v, v, 0x2103); }

__device__ __forceinline__ void quarter(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d)
{
    a += b; d = rotl<16>(d ^ a);
    c += d; b = rotl<12>(b ^ c);
    a += b; d = rotl<8>(d ^ a);
    c += d; b = rotl<7>(b ^ c);
}

// One thread per 64-byte block, over a flat list of all blocks: firstBlk[p] is the number of blocks before packet p
// (nPkts + 1 entries), so that short packets leave no idle threads. Whole blocks are moved in 16- or 4-byte
// words where their address allows it.
__global__ void __launch_bounds__(128)
chacha20(const uint8_t* __restrict__ in, uint8_t* __restrict__ out, const Packet* __restrict__ pkts,
         const uint32_t* __restrict__ firstBlk, int nPkts)
{
    const uint32_t g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= firstBlk[nPkts]) return;
    int lo = 0, hi = nPkts;                       // firstBlk[lo] <= g < firstBlk[hi]
    while (hi - lo > 1) {
        int mid = (lo + hi) >> 1;
        if (firstBlk[mid] <= g) lo = mid; else hi = mid;
    }
    const Packet p = pkts[lo];
    const uint32_t blk = g - firstBlk[lo];

    const uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
                            c_key[0], c_key[1], c_key[2], c_key[3], c_key[4], c_key[5], c_key[6], c_key[7],
                            1 + blk, p.nonce[0], p.nonce[1], p.nonce[2]};
    uint32_t w[16];
    #pragma unroll
    for (int i = 0; i < 16; i++) w[i] = s[i];
    #pragma unroll
    for (int r = 0; r < 10; r++) {
        quarter(w[0], w[4], w[8], w[12]);  quarter(w[1], w[5], w[9], w[13]);
        quarter(w[2], w[6], w[10], w[14]); quarter(w[3], w[7], w[11], w[15]);
        quarter(w[0], w[5], w[10], w[15]); quarter(w[1], w[6], w[11], w[12]);
        quarter(w[2], w[7], w[8], w[13]);  quarter(w[3], w[4], w[9], w[14]);
    }
    #pragma unroll
    for (int i = 0; i < 16; i++) w[i] += s[i];

    const size_t at = (size_t)p.offset + (size_t)blk * 64;
    const uint32_t left = p.len - blk * 64;
    const uint8_t* src = in + at;
    uint8_t* dst = out + at;
    const uintptr_t align = (uintptr_t)src | (uintptr_t)dst;
    if (left >= 64 && (align & 15) == 0) {
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            uint4 v = reinterpret_cast<const uint4*>(src)[i];
            v.x ^= w[4 * i]; v.y ^= w[4 * i + 1]; v.z ^= w[4 * i + 2]; v.w ^= w[4 * i + 3];
            reinterpret_cast<uint4*>(dst)[i] = v;
        }
    } else if (left >= 64 && (align & 3) == 0) {
        #pragma unroll
        for (int i = 0; i < 16; i++)
            reinterpret_cast<uint32_t*>(dst)[i] = reinterpret_cast<const uint32_t*>(src)[i] ^ w[i];
    } else {
        #pragma unroll
        for (uint32_t i = 0; i < 64; i++)
            if (i < left) dst[i] = src[i] ^ (uint8_t)(w[i / 4] >> (8 * (i % 4)));
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

    std::vector<uint32_t> firstBlk(nPkts + 1, 0);
    for (int i = 0; i < nPkts; i++) firstBlk[i + 1] = firstBlk[i] + (pkts[i].len + 63) / 64;

    uint8_t *dIn, *dOut; Packet* dPkts; uint32_t* dFirst;
    MUST(cudaMalloc(&dIn, total));
    MUST(cudaMalloc(&dOut, total));
    MUST(cudaMalloc(&dPkts, nPkts * sizeof(Packet)));
    MUST(cudaMemcpyToSymbol(c_key, key, sizeof key));
    MUST(cudaMemcpy(dIn, plain.data(), total, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(dPkts, pkts.data(), nPkts * sizeof(Packet), cudaMemcpyHostToDevice));
    MUST(cudaMemset(dOut, 0, total));
    MUST(cudaMalloc(&dFirst, firstBlk.size() * sizeof(uint32_t)));
    MUST(cudaMemcpy(dFirst, firstBlk.data(), firstBlk.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));

    uint32_t nBlk = firstBlk[nPkts];
    if (nBlk > 0) {
        chacha20<<<(nBlk + 127) / 128, 128>>>(dIn, dOut, dPkts, dFirst, nPkts);
        MUST(cudaGetLastError());
    }
    MUST(cudaMemcpy(cipher.data(), dOut, total, cudaMemcpyDeviceToHost));

    uint64_t h = 14695981039346656037ull;
    for (uint8_t b : cipher) h = (h ^ b) * 1099511628211ull;
    printf("%d packets, %u bytes, fnv %016llx\n", nPkts, total, (unsigned long long)h);
    for (int i = 0; i < nPkts; i += 150) {
        printf("pkt %3d len %4u:", i, pkts[i].len);
        for (uint32_t k = 0; k < 8 && k < pkts[i].len; k++) printf(" %02x", cipher[pkts[i].offset + k]);
        printf("\n");
    }
    cudaFree(dIn); cudaFree(dOut); cudaFree(dPkts); cudaFree(dFirst);
    return 0;
}
