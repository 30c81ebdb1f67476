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

#define TW 16
#define TH 16

/* Each block stages its 18x18 neighbourhood once; magnitude and edge count in one pass. */
__global__ void sobel_count(const u8* __restrict__ in, u8* __restrict__ out, ImgDesc d, int thr, unsigned int* cnt)
{
    __shared__ u8 t[TH + 2][TW + 2];
    __shared__ unsigned int local;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * TW + tx;
    const int y = blockIdx.y * TH + ty;
    if (tx == 0 && ty == 0) local = 0;

    if (x < d.w && y < d.h) {
        t[ty + 1][tx + 1] = in[y * d.pitch + x];
        /* halo: the outer threads fetch one (or, in corners, three) more */
        if (tx == 0)      t[ty + 1][0]      = (u8)px(in, d, x - 1, y);
        if (tx == TW - 1) t[ty + 1][TW + 1] = (u8)px(in, d, x + 1, y);
        if (ty == 0)      t[0][tx + 1]      = (u8)px(in, d, x, y - 1);
        if (ty == TH - 1) t[TH + 1][tx + 1] = (u8)px(in, d, x, y + 1);
        if (tx == 0 && ty == 0)           t[0][0]           = (u8)px(in, d, x - 1, y - 1);
        if (tx == TW - 1 && ty == 0)      t[0][TW + 1]      = (u8)px(in, d, x + 1, y - 1);
        if (tx == 0 && ty == TH - 1)      t[TH + 1][0]      = (u8)px(in, d, x - 1, y + 1);
        if (tx == TW - 1 && ty == TH - 1) t[TH + 1][TW + 1] = (u8)px(in, d, x + 1, y + 1);
    }
    __syncthreads();

    if (x < d.w && y < d.h) {
        const int a00 = t[ty][tx],     a01 = t[ty][tx + 1],     a02 = t[ty][tx + 2];
        const int a10 = t[ty + 1][tx],                          a12 = t[ty + 1][tx + 2];
        const int a20 = t[ty + 2][tx], a21 = t[ty + 2][tx + 1], a22 = t[ty + 2][tx + 2];
        const int gx = (a02 - a00) + 2 * (a12 - a10) + (a22 - a20);
        const int gy = (a20 - a00) + 2 * (a21 - a01) + (a22 - a02);
        const int mag = min((abs(gx) + abs(gy)) >> 1, 255);
        out[y * d.pitch + x] = (u8)mag;
        if (mag >= thr) atomicAdd(&local, 1u);
    }
    __syncthreads();
    if (tx == 0 && ty == 0 && local) atomicAdd(cnt, local);
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

    dim3 b(TW, TH), g((d.w + TW - 1) / TW, (d.h + TH - 1) / TH);
    sobel_count<<<g, b>>>(din, dout, d, 96, dcnt);
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
