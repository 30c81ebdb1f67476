/*
 * Histogram equalisation of a stack of 8-bit microscope slices.
 * Each slice gets its own table.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned char Byte;

#define SAFE(x) safe_call((x), #x)
static void safe_call(cudaError_t e, const char* s)
{
    if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", s, cudaGetErrorString(e)); std::abort(); }
}

constexpr int THREADS = 256;             // also the number of grey levels
constexpr int WARPS = THREADS / 32;
constexpr int COPIES = 4;                // private histograms per block, two warps on each

// hist[slice][256], cleared by the caller; blockIdx.y is the slice
__global__ void __launch_bounds__(THREADS)
histogram(const Byte* __restrict__ img, int pixels, unsigned* hist)
{
    __shared__ unsigned priv[COPIES][256 + 1];
    const Byte* p = img + (size_t)blockIdx.y * pixels;
    for (int i = threadIdx.x; i < COPIES * 257; i += THREADS) (&priv[0][0])[i] = 0;
    __syncthreads();

    unsigned* mine = priv[(threadIdx.x >> 5) % COPIES];
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < pixels; i += gridDim.x * THREADS) atomicAdd(&mine[p[i]], 1u);
    __syncthreads();

    unsigned n = 0;
#pragma unroll
    for (int c = 0; c < COPIES; ++c) n += priv[c][threadIdx.x];
    if (n) atomicAdd(&hist[blockIdx.y * 256 + threadIdx.x], n);
}

// one block per slice, one thread per grey level
__global__ void __launch_bounds__(THREADS)
build_table(const unsigned* __restrict__ hist, Byte* __restrict__ table, int pixels)
{
    __shared__ unsigned wsum[WARPS];
    __shared__ unsigned s_first;
    const int i = threadIdx.x, lane = i & 31, wid = i >> 5;
    const unsigned h = hist[blockIdx.x * 256 + i];
    if (i == 0) s_first = 0;

    unsigned cum = h;                    // inclusive scan
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        const unsigned up = __shfl_up_sync(0xffffffffu, cum, o);
        if (lane >= o) cum += up;
    }
    if (lane == 31) wsum[wid] = cum;
    __syncthreads();
    for (int w = 0; w < wid; ++w) cum += wsum[w];
    if (h != 0 && cum == h) s_first = h;      // exactly one level is occupied and has nothing below
    __syncthreads();

    const unsigned first = s_first;
    const unsigned den = (unsigned)pixels - first;
    Byte v = (Byte)i;                    // constant slice stays as it is
    if (den != 0) {
        const unsigned long long num = cum > first ? (unsigned long long)(cum - first) * 255u : 0u;
        v = (Byte)((num + den / 2) / den);
    }
    table[blockIdx.x * 256 + i] = v;
}

__global__ void __launch_bounds__(THREADS)
apply_table(Byte* __restrict__ img, const Byte* __restrict__ table, int pixels)
{
    __shared__ Byte t[256];
    t[threadIdx.x] = table[blockIdx.y * 256 + threadIdx.x];
    __syncthreads();
    Byte* p = img + (size_t)blockIdx.y * pixels;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < pixels; i += gridDim.x * THREADS) p[i] = t[p[i]];
}

int main()
{
    const int W = 411, H = 307, SLICES = 9;
    const int pixels = W * H;
    std::vector<Byte> img((size_t)pixels * SLICES);
    unsigned rnd = 2024;
    for (int s = 0; s < SLICES; ++s)
        for (int y = 0; y < H; ++y)
            for (int x = 0; x < W; ++x) {
                rnd = rnd * 1664525u + 1013904223u;
                int v = 70 + s * 5 + ((x * y) >> 11) % 40 + (int)(rnd >> 29);
                if (s == 4) v = 93;                          // an empty slide
                img[(size_t)s * pixels + y * W + x] = (Byte)v;
            }

    Byte *dimg, *dtab;
    unsigned* dhist;
    SAFE(cudaMalloc((void**)&dimg, img.size()));
    SAFE(cudaMalloc((void**)&dtab, SLICES * 256));
    SAFE(cudaMalloc((void**)&dhist, SLICES * 256 * sizeof(unsigned)));
    SAFE(cudaMemcpy(dimg, img.data(), img.size(), cudaMemcpyHostToDevice));
    SAFE(cudaMemset(dhist, 0, SLICES * 256 * sizeof(unsigned)));

    const int full = (pixels + THREADS - 1) / THREADS;
    histogram<<<dim3(full < 48 ? full : 48, SLICES), THREADS>>>(dimg, pixels, dhist);
    build_table<<<SLICES, THREADS>>>(dhist, dtab, pixels);
    apply_table<<<dim3(full < 120 ? full : 120, SLICES), THREADS>>>(dimg, dtab, pixels);
    SAFE(cudaGetLastError());

    std::vector<Byte> tab(SLICES * 256);
    SAFE(cudaMemcpy(img.data(), dimg, img.size(), cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(tab.data(), dtab, tab.size(), cudaMemcpyDeviceToHost));
    for (int s = 0; s < SLICES; ++s) {
        unsigned long long sum = 0, mix = 0;
        for (int i = 0; i < pixels; ++i) {
            Byte v = img[(size_t)s * pixels + i];
            sum += v;
            mix = mix * 31 + v;
        }
        std::printf("slice %d mean %.3f hash %016llx table[90]=%d\n", s, (double)sum / pixels, mix, tab[s * 256 + 90]);
    }
    cudaFree(dimg);
    cudaFree(dtab);
    cudaFree(dhist);
    return 0;
}
