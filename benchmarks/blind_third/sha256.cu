// SHA-256 of many messages of one length, and the root of their Merkle tree.
//
// Messages are stored interleaved: word w of message m at [w * messages + m], already padded and big-endian,
// so that a warp's loads coalesce. A tree level hashes pairs of digests (64 bytes: one block of data and a constant block of padding);
// an odd node moves up as it is.
//
//   sha256 MESSAGES BYTES

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#define CHECK_CUDA(call)                                                            \
    {                                                                               \
        cudaError_t rc = (call);                                                    \
        if (rc != cudaSuccess) {                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(rc));     \
            exit(1);                                                                \
        }                                                                           \
    }

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

struct State {
    uint32_t h[8];
};

__device__ __forceinline__ State initial()
{
    return {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

// one block; w is used up
__device__ __forceinline__ void compress(State &s, uint32_t (&w)[16])
{
    uint32_t a = s.h[0], b = s.h[1], c = s.h[2], d = s.h[3], e = s.h[4], f = s.h[5], g = s.h[6], h = s.h[7];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const uint32_t w15 = w[(i + 1) & 15], w2 = w[(i + 14) & 15];
            w[i & 15] += (rotr(w15, 7) ^ rotr(w15, 18) ^ (w15 >> 3)) + w[(i + 9) & 15] + (rotr(w2, 17) ^ rotr(w2, 19) ^ (w2 >> 10));
        }
        const uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i & 15];
        const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1;
        d = c; c = b; b = a; a = t1 + t2;
    }
    s.h[0] += a; s.h[1] += b; s.h[2] += c; s.h[3] += d;
    s.h[4] += e; s.h[5] += f; s.h[6] += g; s.h[7] += h;
}

// digests likewise interleaved: word i of node m at [i * messages + m]
__global__ void __launch_bounds__(128) hash_messages(const uint32_t *__restrict__ data, uint32_t *__restrict__ digests, uint32_t messages, int blocks)
{
    const uint32_t m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= messages) return;
    State s = initial();
    for (int b = 0; b < blocks; b++) {
        uint32_t w[16];
#pragma unroll
        for (int i = 0; i < 16; i++) w[i] = __ldg(data + (size_t)(b * 16 + i) * messages + m);
        compress(s, w);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) digests[(size_t)i * messages + m] = s.h[i];
}

__global__ void __launch_bounds__(128) tree_level(const uint32_t *__restrict__ below, uint32_t *__restrict__ above, uint32_t nodes)
{
    const uint32_t parents = (nodes + 1) / 2;
    const uint32_t p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= parents) return;
    if (2 * p + 1 == nodes) {
        for (int i = 0; i < 8; i++) above[(size_t)i * parents + p] = below[(size_t)i * nodes + 2 * p];
        return;
    }
    uint32_t w[16];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        w[i] = below[(size_t)i * nodes + 2 * p];
        w[8 + i] = below[(size_t)i * nodes + 2 * p + 1];
    }
    State s = initial();
    compress(s, w);
    uint32_t pad[16] = {0x80000000u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 512};
    compress(s, pad);
#pragma unroll
    for (int i = 0; i < 8; i++) above[(size_t)i * parents + p] = s.h[i];
}

static void print_digest(const char *name, const uint32_t *d)
{
    printf("%s ", name);
    for (int i = 0; i < 8; i++) printf("%08x", d[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    const uint32_t messages = argc > 1 ? strtoul(argv[1], nullptr, 10) : 65536;
    const int bytes = argc > 2 ? atoi(argv[2]) : 200;
    const int blocks = (bytes + 9 + 63) / 64, words = blocks * 16;

    std::vector<uint32_t> data((size_t)words * messages);
    std::vector<uint8_t> text(words * 4);
    for (uint32_t m = 0; m < messages; m++) {
        memset(text.data(), 0, text.size());
        for (int i = 0; i < bytes; i++) text[i] = (uint8_t)(m * 131 + i * 29 + (m >> 8) * (i + 1));
        text[bytes] = 0x80;
        const uint64_t bits = (uint64_t)bytes * 8;
        for (int i = 0; i < 8; i++) text[words * 4 - 1 - i] = (uint8_t)(bits >> (8 * i));
        for (int w = 0; w < words; w++)
            data[(size_t)w * messages + m] = (uint32_t)text[4 * w] << 24 | text[4 * w + 1] << 16 | text[4 * w + 2] << 8 | text[4 * w + 3];
    }

    uint32_t *dData, *dA, *dB;
    CHECK_CUDA(cudaMalloc(&dData, data.size() * 4));
    CHECK_CUDA(cudaMalloc(&dA, (size_t)messages * 32));
    CHECK_CUDA(cudaMalloc(&dB, ((size_t)messages + 1) / 2 * 32));
    CHECK_CUDA(cudaMemcpy(dData, data.data(), data.size() * 4, cudaMemcpyHostToDevice));

    hash_messages<<<(messages + 127) / 128, 128>>>(dData, dA, messages, blocks);
    CHECK_CUDA(cudaGetLastError());
    std::vector<uint32_t> digests((size_t)messages * 8);
    CHECK_CUDA(cudaMemcpy(digests.data(), dA, digests.size() * 4, cudaMemcpyDeviceToHost));

    uint32_t *below = dA, *above = dB;
    for (uint32_t nodes = messages; nodes > 1; nodes = (nodes + 1) / 2) {
        const uint32_t parents = (nodes + 1) / 2;
        tree_level<<<(parents + 127) / 128, 128>>>(below, above, nodes);
        CHECK_CUDA(cudaGetLastError());
        uint32_t *t = below;
        below = above;
        above = t;
    }
    uint32_t root[8], last[8];
    CHECK_CUDA(cudaMemcpy(root, below, 32, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) last[i] = digests[(size_t)i * messages + messages - 1];
    print_digest("last", last);
    print_digest("root", root);

    CHECK_CUDA(cudaFree(dData));
    CHECK_CUDA(cudaFree(dA));
    CHECK_CUDA(cudaFree(dB));
    return 0;
}
