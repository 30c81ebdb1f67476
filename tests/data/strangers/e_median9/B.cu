// 3x3 median (despeckle) on 8-bit frames, replicated borders, two passes.
#include <cuda_runtime.h>
#include <iostream>
#include <iomanip>
#include <vector>
#include <cstdlib>

typedef unsigned char u8;

void must(cudaError_t e, const char *where)
{
    if (e != cudaSuccess) { std::cerr << where << ": " << cudaGetErrorString(e) << std::endl; std::exit(1); }
}

constexpr int TX = 32, TY = 8;               // threads; a block filters 128 x 8 pixels
constexpr int WORDS = TX + 2;                // tile row: 4 bytes of apron, 128 pixels, 4 bytes of apron

__device__ __forceinline__ void sort2(unsigned &a, unsigned &b)
{
    unsigned t = __vminu4(a, b);
    b = __vmaxu4(a, b);
    a = t;
}

__device__ __forceinline__ void sort3(unsigned &a, unsigned &b, unsigned &c) { sort2(a, b); sort2(b, c); sort2(a, b); }

__device__ __forceinline__ unsigned mid3(unsigned a, unsigned b, unsigned c)
{
    return __vmaxu4(__vminu4(a, b), __vminu4(__vmaxu4(a, b), c));
}

// Four neighbouring pixels per thread, one per byte of a 32-bit word, with the SIMD-in-a-word min/max.
// The three columns are sorted first; the median is the middle of (largest low, middle mid, smallest high).
__global__ void __launch_bounds__(TX * TY)
median3x3(const u8 *__restrict__ src, u8 *__restrict__ dst, int w, int h)
{
    __shared__ unsigned tile[TY + 2][WORDS];
    const int bx = blockIdx.x * TX * 4, by = blockIdx.y * TY;

    u8 *bytes = reinterpret_cast<u8 *>(tile);
    for (int k = threadIdx.y * TX + threadIdx.x; k < (TY + 2) * WORDS * 4; k += TX * TY) {
        int ty = k / (WORDS * 4), tx = k % (WORDS * 4);
        int x = min(max(bx + tx - 4, 0), w - 1);
        int y = min(max(by + ty - 1, 0), h - 1);
        bytes[k] = src[y * w + x];
    }
    __syncthreads();

    const int x = bx + 4 * threadIdx.x, y = by + threadIdx.y;
    if (x >= w || y >= h) return;

    unsigned L[3], C[3], R[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const unsigned *row = &tile[threadIdx.y + k][threadIdx.x];
        unsigned l = row[0], c = row[1], r = row[2];
        L[k] = (c << 8) | (l >> 24);         // pixels x-1 .. x+2
        C[k] = c;                            // pixels x   .. x+3
        R[k] = (c >> 8) | (r << 24);         // pixels x+1 .. x+4
    }
    sort3(L[0], L[1], L[2]);
    sort3(C[0], C[1], C[2]);
    sort3(R[0], R[1], R[2]);
    const unsigned lo = __vmaxu4(__vmaxu4(L[0], C[0]), R[0]);
    const unsigned md = mid3(L[1], C[1], R[1]);
    const unsigned hi = __vminu4(__vminu4(L[2], C[2]), R[2]);
    const unsigned m = mid3(lo, md, hi);

    u8 *o = dst + (size_t)y * w + x;
    if ((w & 3) == 0) {
        *reinterpret_cast<unsigned *>(o) = m;
    } else {
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (x + k < w) o[k] = (u8)(m >> (8 * k));
    }
}

int main()
{
    const int w = 726, h = 483;
    std::vector<u8> img(w * h);
    unsigned r = 2024;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            r = r * 69069u + 1u;
            u8 v = (u8)((x / 3 + y / 2) & 255);
            if ((r >> 24) < 20) v = (r & 0x800000) ? 255 : 0;       // salt and pepper
            img[y * w + x] = v;
        }
    u8 *a, *b;
    must(cudaMalloc(&a, w * h), "malloc a");
    must(cudaMalloc(&b, w * h), "malloc b");
    must(cudaMemcpy(a, img.data(), w * h, cudaMemcpyHostToDevice), "upload");
    dim3 block(TX, TY), grid((w + 4 * TX - 1) / (4 * TX), (h + TY - 1) / TY);
    for (int pass = 0; pass < 2; ++pass) {
        median3x3<<<grid, block>>>(a, b, w, h);
        must(cudaGetLastError(), "launch");
        std::swap(a, b);
    }
    must(cudaMemcpy(img.data(), a, w * h, cudaMemcpyDeviceToHost), "download");
    unsigned long long sum = 0; unsigned hash = 0; int extremes = 0;
    for (u8 v : img) { sum += v; hash = hash * 31 + v; extremes += v == 0 || v == 255; }
    std::cout << w << "x" << h << " sum " << sum << " extremes " << extremes
              << " hash " << std::hex << std::setw(8) << std::setfill('0') << hash << std::endl;
    cudaFree(a); cudaFree(b);
    return 0;
}
