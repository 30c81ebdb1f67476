// Two-state cellular automaton "Day & Night" (B3678/S34678) on a torus.
// 32 cells per word, neighbours summed with bit-sliced adders; bytes only at the host interface.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

typedef unsigned char u8;
typedef unsigned int  u32;

static void die(const char* m, cudaError_t e) { fprintf(stderr, "%s: %s\n", m, cudaGetErrorString(e)); exit(1); }
#define TRY(x) { cudaError_t e_ = (x); if (e_) die(#x, e_); }

#define W 768
#define H 512
#define WW (W / 32)

static_assert(W % 32 == 0 && H % 32 == 0, "packed rows");

__global__ void pack(const u8* __restrict__ in, u32* __restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;      // one thread per cell, W*H is a multiple of the block
    u32 m = __ballot_sync(0xffffffffu, in[i] != 0);
    if ((threadIdx.x & 31) == 0) out[i >> 5] = m;
}

__global__ void unpack(const u32* __restrict__ in, uchar4* __restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;      // four cells per thread
    if (i >= W * H / 4) return;
    u32 w = in[i >> 3] >> ((i & 7) * 4);
    out[i] = make_uchar4(w & 1, (w >> 1) & 1, (w >> 2) & 1, (w >> 3) & 1);
}

__device__ __forceinline__ void add3(u32 a, u32 b, u32 c, u32& s, u32& cy)
{
    u32 t = a ^ b;
    s = t ^ c;
    cy = (a & b) | (t & c);
}

// west/east neighbours of all 32 cells of a word (bit 0 = leftmost cell)
__device__ __forceinline__ void row3(const u32* __restrict__ r, int x, u32& we, u32& me, u32& ea)
{
    u32 l = r[x == 0 ? WW - 1 : x - 1], m = r[x], n = r[x == WW - 1 ? 0 : x + 1];
    me = m;
    we = __funnelshift_l(l, m, 1);       // (m << 1) | (l >> 31)
    ea = __funnelshift_r(m, n, 1);       // (m >> 1) | (n << 31)
}

__global__ void step(const u32* __restrict__ in, u32* __restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= WW * H) return;
    int x = i % WW, y = i / WW;
    const u32* up = in + (y == 0 ? H - 1 : y - 1) * WW;
    const u32* mi = in + y * WW;
    const u32* dn = in + (y == H - 1 ? 0 : y + 1) * WW;

    u32 w, c, e, u0, u1, d0, d1, m0, m1, self;
    row3(up, x, w, c, e);  add3(w, c, e, u0, u1);
    row3(dn, x, w, c, e);  add3(w, c, e, d0, d1);
    row3(mi, x, w, self, e); m0 = w ^ e; m1 = w & e;

    // weight 1
    u32 n0, k1;
    add3(u0, d0, m0, n0, k1);
    // weight 2: four terms
    u32 p = u1 ^ d1, pc = u1 & d1;
    u32 q = m1 ^ k1, qc = m1 & k1;
    u32 n1 = p ^ q;
    // weight 4
    u32 n2 = pc | qc | (p & q);

    // 3, 6, 7 (and 4 for living cells)
    u32 is3 = n0 & n1 & ~n2;
    u32 is67 = n1 & n2;
    u32 is4 = n2 & ~n1 & ~n0;
    out[i] = is3 | is67 | (is4 & self);
}

__global__ void census(const u32* __restrict__ in, u32* __restrict__ band)
{
    __shared__ u32 part[4];
    u32 c = 0;
    const u32* p = in + blockIdx.x * 32 * WW;
    for (int i = threadIdx.x; i < 32 * WW; i += blockDim.x) c += __popc(p[i]);
    c = __reduce_add_sync(0xffffffffu, c);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = c;
    __syncthreads();
    if (threadIdx.x == 0) band[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

int main()
{
    const int gens = 6;
    u8* h = (u8*)malloc(W * H);
    // sparse debris: the generator draws one cell in 32
    unsigned long long z = 0x1234567ull;
    for (int i = 0; i < W * H; i++) {
        z = z * 6364136223846793005ull + 1442695040888963407ull;
        h[i] = ((z >> 33) & 31) == 0;
    }

    u8* cells; u32 *a, *b, *d_band;
    TRY(cudaMalloc(&cells, W * H));
    TRY(cudaMalloc(&a, W * H / 8));
    TRY(cudaMalloc(&b, W * H / 8));
    TRY(cudaMalloc(&d_band, (H / 32) * sizeof(u32)));
    TRY(cudaMemcpy(cells, h, W * H, cudaMemcpyHostToDevice));

    pack<<<W * H / 256, 256>>>(cells, a);
    TRY(cudaGetLastError());
    for (int g = 0; g < gens; g++) {
        step<<<(WW * H + 127) / 128, 128>>>(a, b);
        TRY(cudaGetLastError());
        u32* t = a; a = b; b = t;
    }
    u32 band[H / 32];
    census<<<H / 32, 128>>>(a, d_band);
    unpack<<<(W * H / 4 + 255) / 256, 256>>>(a, (uchar4*)cells);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(band, d_band, sizeof band, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(h, cells, W * H, cudaMemcpyDeviceToHost));

    u32 tot = 0, hash = 2166136261u;
    for (int i = 0; i < H / 32; i++) { printf("band %2d: %u\n", i, band[i]); tot += band[i]; }
    for (int i = 0; i < W * H; i++) hash = (hash ^ h[i]) * 16777619u;
    printf("after %d generations: %u cells, hash %08x\n", gens, tot, hash);
    cudaFree(a); cudaFree(b); cudaFree(cells); cudaFree(d_band); free(h);
    return 0;
}
