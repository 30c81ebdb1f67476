// Two-state cellular automaton "Day & Night" (B3678/S34678) on a torus.  One byte per cell.
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

__global__ void step(const u8* in, u8* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (!dx && !dy) continue;
            n += in[((y + dy + H) % H) * W + (x + dx + W) % W];
        }
    u8 alive = in[y * W + x];
    u8 nxt;
    if (alive) nxt = (n == 3 || n == 4 || n == 6 || n == 7 || n == 8);
    else       nxt = (n == 3 || n == 6 || n == 7 || n == 8);
    out[y * W + x] = nxt;
}

// population count of every 32-row band
__global__ void census(const u8* in, u32* band)
{
    __shared__ u32 s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    u32 c = 0;
    for (int i = threadIdx.x; i < 32 * W; i += blockDim.x) c += in[blockIdx.x * 32 * W + i];
    atomicAdd(&s, c);
    __syncthreads();
    if (threadIdx.x == 0) band[blockIdx.x] = s;
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

    u8 *a, *b; u32* d_band;
    TRY(cudaMalloc(&a, W * H));
    TRY(cudaMalloc(&b, W * H));
    TRY(cudaMalloc(&d_band, (H / 32) * sizeof(u32)));
    TRY(cudaMemcpy(a, h, W * H, cudaMemcpyHostToDevice));

    dim3 blk(32, 8), grd((W + 31) / 32, (H + 7) / 8);
    for (int g = 0; g < gens; g++) {
        step<<<grd, blk>>>(a, b);
        TRY(cudaGetLastError());
        u8* t = a; a = b; b = t;
    }
    u32 band[H / 32];
    census<<<H / 32, 128>>>(a, d_band);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(band, d_band, sizeof band, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(h, a, W * H, cudaMemcpyDeviceToHost));

    u32 tot = 0, hash = 2166136261u;
    for (int i = 0; i < H / 32; i++) { printf("band %2d: %u\n", i, band[i]); tot += band[i]; }
    for (int i = 0; i < W * H; i++) hash = (hash ^ h[i]) * 16777619u;
    printf("after %d generations: %u cells, hash %08x\n", gens, tot, hash);
    cudaFree(a); cudaFree(b); cudaFree(d_band); free(h);
    return 0;
}
