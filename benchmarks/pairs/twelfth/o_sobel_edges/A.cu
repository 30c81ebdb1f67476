#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <cuda_runtime.h>

/* Sobel gradient magnitude with replicated border, then a threshold count. */

typedef unsigned char u8;

typedef struct { int w, h, pitch; } ImgDesc;

static void die(cudaError_t e, int line)
{
    if (e != cudaSuccess) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); exit(2); }
}
#define D(e) die((e), __LINE__)

__device__ __forceinline__ int px(const u8* im, ImgDesc d, int x, int y)
{
    x = x < 0 ? 0 : (x > d.w - 1 ? d.w - 1 : x);
    y = y < 0 ? 0 : (y > d.h - 1 ? d.h - 1 : y);
    return im[y * d.pitch + x];
}

__global__ void sobel(const u8* in, u8* out, ImgDesc d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= d.w || y >= d.h) return;
    int gx = -px(in, d, x - 1, y - 1) + px(in, d, x + 1, y - 1)
             - 2 * px(in, d, x - 1, y) + 2 * px(in, d, x + 1, y)
             - px(in, d, x - 1, y + 1) + px(in, d, x + 1, y + 1);
    int gy = -px(in, d, x - 1, y - 1) - 2 * px(in, d, x, y - 1) - px(in, d, x + 1, y - 1)
             + px(in, d, x - 1, y + 1) + 2 * px(in, d, x, y + 1) + px(in, d, x + 1, y + 1);
    int mag = (abs(gx) + abs(gy)) >> 1;
    out[y * d.pitch + x] = (u8)(mag > 255 ? 255 : mag);
}

__global__ void count_edges(const u8* im, ImgDesc d, int thr, unsigned int* cnt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < d.w && y < d.h && im[y * d.pitch + x] >= thr) atomicAdd(cnt, 1u);
}

int main()
{
    ImgDesc d;
    d.w = 640; d.h = 368; d.pitch = 704;
    size_t sz = (size_t)d.pitch * d.h;
    u8* h = (u8*)calloc(sz, 1);
    for (int y = 0; y < d.h; y++)
        for (int x = 0; x < d.w; x++) {
            int v = ((x / 23 + y / 17) & 1) ? 180 : 60;
            v += ((x * x + 3 * y * y) >> 7) & 31;
            int dx = x - 320, dy = y - 200;
            if (dx * dx + dy * dy < 9000) v = 255 - v;
            h[y * d.pitch + x] = (u8)v;
        }

    u8 *din, *dout;
    unsigned int* dcnt;
    D(cudaMalloc((void**)&din, sz));
    D(cudaMalloc((void**)&dout, sz));
    D(cudaMalloc((void**)&dcnt, sizeof(unsigned int)));
    D(cudaMemcpy(din, h, sz, cudaMemcpyHostToDevice));
    D(cudaMemset(dout, 0, sz));
    D(cudaMemset(dcnt, 0, sizeof(unsigned int)));

    dim3 b(16, 16), g((d.w + 15) / 16, (d.h + 15) / 16);
    sobel<<<g, b>>>(din, dout, d);
    count_edges<<<g, b>>>(dout, d, 96, dcnt);
    D(cudaGetLastError());

    unsigned int cnt = 0;
    D(cudaMemcpy(&cnt, dcnt, sizeof cnt, cudaMemcpyDeviceToHost));
    D(cudaMemcpy(h, dout, sz, cudaMemcpyDeviceToHost));
    uint32_t crc = 2166136261u;
    for (int y = 0; y < d.h; y++)
        for (int x = 0; x < d.w; x++) crc = (crc ^ h[y * d.pitch + x]) * 16777619u;
    printf("edges: %u  hash: %08x\n", cnt, crc);
    cudaFree(din); cudaFree(dout); cudaFree(dcnt);
    free(h);
    return 0;
}
