// Merkle root over fixed-size 32-byte records with SHA-256 (an odd node at the end of a level is paired with itself).
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

static void die(const char* f, int l, cudaError_t e) { fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e)); exit(1); }
#define CU(x) { cudaError_t e = (x); if (e != cudaSuccess) die(__FILE__, __LINE__, e); }

struct Digest { uint32_t w[8]; };

__constant__ uint32_t K256[64] = {
    0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,
    0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,
    0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,
    0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,
    0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,
    0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
    0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,
    0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2 };

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

// one compression of the 16-word block m into state h
__device__ void compress(uint32_t* h, uint32_t* m)
{
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
    #pragma unroll
    for (int i = 0; i < 64; i++) {
        uint32_t w = m[i & 15];
        if (i >= 16) {
            uint32_t w1 = m[(i + 1) & 15], w14 = m[(i + 14) & 15];
            uint32_t s0 = rotr(w1, 7) ^ rotr(w1, 18) ^ (w1 >> 3);
            uint32_t s1 = rotr(w14, 17) ^ rotr(w14, 19) ^ (w14 >> 10);
            w = w + s0 + m[(i + 9) & 15] + s1;
            m[i & 15] = w;
        }
        uint32_t S1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
        uint32_t t1 = hh + S1 + ((e & f) ^ (~e & g)) + K256[i] + w;
        uint32_t S0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
        uint32_t t2 = S0 + ((a & b) ^ (a & c) ^ (b & c));
        hh = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += hh;
}

// SHA-256 of n words (n = 8 or 16): data block(s) and padding
__device__ Digest sha256_words(const uint32_t* p, int n)
{
    Digest d = {{0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,0x5be0cd19}};
    uint32_t m[16];
    for (int i = 0; i < 16; i++) m[i] = i < n ? p[i] : 0;
    if (n == 16) { compress(d.w, m); for (int i = 0; i < 16; i++) m[i] = 0; m[0] = 0x80000000u; }
    else m[n] = 0x80000000u;
    m[15] = n * 32;
    compress(d.w, m);
    return d;
}

__device__ __forceinline__ Digest hash_pair(const Digest& l, const Digest& r)
{
    uint32_t pair[16];
    #pragma unroll
    for (int k = 0; k < 8; k++) { pair[k] = l.w[k]; pair[8 + k] = r.w[k]; }
    return sha256_words(pair, 16);
}

// A block hashes SUB records and reduces them to the root of their subtree in shared memory:
// one launch and 32 bytes of output in place of eight levels in global memory.
// The last block may be partly filled; its missing leaves are copies of the last one.
constexpr int SUB = 128;
__global__ void __launch_bounds__(SUB) hash_subtrees(const uint32_t* __restrict__ rec, Digest* __restrict__ roots, int n)
{
    __shared__ Digest node[SUB];
    int i = min(blockIdx.x * SUB + threadIdx.x, n - 1);
    node[threadIdx.x] = sha256_words(rec + (size_t)i * 8, 8);
    __syncthreads();
    for (int w = SUB / 2; w > 0; w >>= 1) {
        Digest d;
        if (threadIdx.x < w) d = hash_pair(node[2 * threadIdx.x], node[2 * threadIdx.x + 1]);
        __syncthreads();
        if (threadIdx.x < w) node[threadIdx.x] = d;
        __syncthreads();
    }
    if (threadIdx.x == 0) roots[blockIdx.x] = node[0];
}

// The upper levels, in one block.
__global__ void __launch_bounds__(256) hash_top(Digest* a, Digest* b, int n, Digest* root)
{
    while (n > 1) {
        int outs = (n + 1) / 2;
        for (int i = threadIdx.x; i < outs; i += blockDim.x)
            b[i] = hash_pair(a[2 * i], a[2 * i + 1 < n ? 2 * i + 1 : 2 * i]);
        __syncthreads();
        Digest* t = a; a = b; b = t;
        n = outs;
    }
    if (threadIdx.x == 0) *root = a[0];
}

int main()
{
    const int n = 5120;
    std::vector<uint32_t> rec((size_t)n * 8);
    uint64_t s = 0x9e3779b97f4a7c15ull;
    for (auto& v : rec) { s = s * 6364136223846793005ull + 1442695040888963407ull; v = (uint32_t)(s >> 32); }

    const int subs = (n + SUB - 1) / SUB;
    uint32_t* d_rec; Digest *d_a, *d_b, *d_root;
    CU(cudaMalloc(&d_rec, rec.size() * 4));
    CU(cudaMalloc(&d_a, subs * sizeof(Digest)));
    CU(cudaMalloc(&d_b, subs * sizeof(Digest)));
    CU(cudaMalloc(&d_root, sizeof(Digest)));
    CU(cudaMemcpy(d_rec, rec.data(), rec.size() * 4, cudaMemcpyHostToDevice));

    hash_subtrees<<<subs, SUB>>>(d_rec, d_a, n);
    CU(cudaGetLastError());
    hash_top<<<1, 256>>>(d_a, d_b, subs, d_root);
    CU(cudaGetLastError());
    Digest root;
    CU(cudaMemcpy(&root, d_root, sizeof root, cudaMemcpyDeviceToHost));
    printf("root of %d records: ", n);
    for (int i = 0; i < 8; i++) printf("%08x", root.w[i]);
    printf("\n");
    cudaFree(d_rec); cudaFree(d_a); cudaFree(d_b); cudaFree(d_root);
    return 0;
}
