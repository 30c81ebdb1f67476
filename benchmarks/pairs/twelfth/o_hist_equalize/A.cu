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

// hist[slice][256], cleared by the caller; blockIdx.y is the slice
__global__ void histogram(const Byte* img, int pixels, unsigned* hist)
{
    const Byte* p = img + (size_t)blockIdx.y * pixels;
    unsigned* h = hist + blockIdx.y * 256;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x)
        atomicAdd(&h[p[i]], 1u);
}

// one thread per slice
__global__ void build_table(const unsigned* hist, Byte* table, int pixels, int slices)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= slices) return;
    const unsigned* h = hist + s * 256;
    Byte* t = table + s * 256;
    unsigned first = 0;
    for (int i = 0; i < 256; ++i)
        if (h[i] != 0) { first = h[i]; break; }
    unsigned den = (unsigned)pixels - first;
    unsigned cum = 0;
    for (int i = 0; i < 256; ++i) {
        cum += h[i];
        if (den == 0) { t[i] = (Byte)i; continue; }          // constant slice stays as it is
        unsigned long long num = cum > first ? (unsigned long long)(cum - first) * 255u : 0u;
        t[i] = (Byte)((num + den / 2) / den);
    }
}

__global__ void apply_table(Byte* img, const Byte* table, int pixels)
{
    Byte* p = img + (size_t)blockIdx.y * pixels;
    const Byte* t = table + blockIdx.y * 256;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) p[i] = t[p[i]];
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

    histogram<<<dim3(64, SLICES), 256>>>(dimg, pixels, dhist);
    build_table<<<(SLICES + 31) / 32, 32>>>(dhist, dtab, pixels, SLICES);
    apply_table<<<dim3((pixels + 255) / 256, SLICES), 256>>>(dimg, dtab, pixels);
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
