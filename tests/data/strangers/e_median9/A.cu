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

__global__ void median3x3(const u8 *src, u8 *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    u8 v[9];
    int k = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int xx = min(max(x + dx, 0), w - 1);
            int yy = min(max(y + dy, 0), h - 1);
            v[k++] = src[yy * w + xx];
        }
    for (int i = 0; i < 5; ++i)               // selection sort up to the middle
        for (int j = i + 1; j < 9; ++j)
            if (v[j] < v[i]) { u8 t = v[i]; v[i] = v[j]; v[j] = t; }
    dst[y * w + x] = v[4];
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
    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
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
