// Conway's Game of Life on a torus. One byte (0 or 1) per cell outside, one bit per cell on the way: 32 cells
// are advanced at once with bitwise adders.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define CE(call) do { cudaError_t e = call; if (e != cudaSuccess) { fprintf(stderr, "%s:%d  %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)

enum { W = 1024, H = 700, GENERATIONS = 5 };

typedef unsigned char cell;

typedef unsigned int word;

static_assert(W % 32 == 0, "whole words per row");
enum { WW = W / 32 };

// bit i of word k of a row is cell 32 k + i
__global__ void pack(const uint4* __restrict__ cells, word* __restrict__ out, int nWords)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nWords) return;
    uint4 lo = cells[2 * i], hi = cells[2 * i + 1];
    word q[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w}, r = 0;
    #pragma unroll
    for (int k = 0; k < 8; k++)        // gather the four 0/1 bytes of a word into four bits
        r |= (((q[k] & 0x01010101u) * 0x01020408u) >> 24 & 15u) << (4 * k);
    out[i] = r;
}

__global__ void unpack(const word* __restrict__ in, uint4* __restrict__ cells, int nWords)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nWords) return;
    word w = in[i], q[8];
    #pragma unroll
    for (int k = 0; k < 8; k++) {
        word n = w >> (4 * k) & 15u;
        q[k] = (n & 1u) | (n & 2u) << 7 | (n & 4u) << 14 | (n & 8u) << 21;
    }
    cells[2 * i]     = make_uint4(q[0], q[1], q[2], q[3]);
    cells[2 * i + 1] = make_uint4(q[4], q[5], q[6], q[7]);
}

__device__ __forceinline__ word maj(word a, word b, word c) { return (a & b) | (c & (a | b)); }

// the words of the row's western and eastern neighbours of the 32 cells of word k
__device__ __forceinline__ void neighbours(const word* row, int k, word& west, word& mid, word& east)
{
    mid = row[k];
    word p = row[k == 0 ? WW - 1 : k - 1], n = row[k == WW - 1 ? 0 : k + 1];
    west = mid << 1 | p >> 31;
    east = mid >> 1 | n << 31;
}

__global__ void step(const word* __restrict__ in, word* __restrict__ out)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (k >= WW || y >= H) return;
    word uw, u, ue, w, c, e, dw, d, de;
    neighbours(in + (y == 0 ? H - 1 : y - 1) * WW, k, uw, u, ue);
    neighbours(in + y * WW, k, w, c, e);
    neighbours(in + (y == H - 1 ? 0 : y + 1) * WW, k, dw, d, de);

    // ones and twos of the three rows
    word u1 = uw ^ u ^ ue, u2 = maj(uw, u, ue);
    word d1 = dw ^ d ^ de, d2 = maj(dw, d, de);
    word m1 = w ^ e,       m2 = w & e;
    word ones = u1 ^ d1 ^ m1, k2 = maj(u1, d1, m1);
    // count = ones + 2 * (u2 + d2 + m2 + k2); 2 or 3 neighbours: exactly one of the four is set
    word two  = (u2 & d2) | (m2 & k2) | ((u2 | d2) & (m2 | k2));
    word one  = (u2 | d2 | m2 | k2) & ~two;
    out[y * WW + k] = one & (ones | c);
}

static void printCorner(const std::vector<cell>& c)
{
    for (int y = 0; y < 12; y++) {
        for (int x = 0; x < 48; x++) putchar(c[y * W + x] ? '#' : '.');
        putchar('\n');
    }
}

int main()
{
    std::vector<cell> world(W * H);
    unsigned s = 1234567;
    for (int i = 0; i < W * H; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; world[i] = (s >> 7) % 100 < 31; }
    // a glider that crosses the corner of the torus, in a cleared patch
    for (int y = -6; y < 6; y++) for (int x = -6; x < 6; x++) world[((y + H) % H) * W + (x + W) % W] = 0;
    const int g[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (auto& p : g) world[((p[1] - 2 + H) % H) * W + (p[0] - 2 + W) % W] = 1;

    const int nWords = WW * H;
    cell* bytes; word *a, *b;
    CE(cudaMalloc(&bytes, W * H));
    CE(cudaMalloc(&a, nWords * sizeof(word)));
    CE(cudaMalloc(&b, nWords * sizeof(word)));
    CE(cudaMemcpy(bytes, world.data(), W * H, cudaMemcpyHostToDevice));
    pack<<<(nWords + 127) / 128, 128>>>((const uint4*)bytes, a, nWords);
    CE(cudaGetLastError());
    dim3 block(32, 4), grid((WW + 31) / 32, (H + 3) / 4);
    for (int t = 0; t < GENERATIONS; t++) {
        step<<<grid, block>>>(a, b);
        CE(cudaGetLastError());
        std::swap(a, b);
    }
    unpack<<<(nWords + 127) / 128, 128>>>(a, (uint4*)bytes, nWords);
    CE(cudaGetLastError());
    CE(cudaMemcpy(world.data(), bytes, W * H, cudaMemcpyDeviceToHost));

    long pop = 0; unsigned long long h = 0;
    for (int i = 0; i < W * H; i++) { pop += world[i]; h = h * 31 + world[i]; }
    printf("generation %d: %ld alive, hash %016llx\n", (int)GENERATIONS, pop, h);
    printCorner(world);
    cudaFree(bytes); cudaFree(a); cudaFree(b);
    return 0;
}
