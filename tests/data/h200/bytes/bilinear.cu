/* Resampling of 8-bit images: bilinear zoom, rotation about the centre,
   and bilinear sampling of packed RGB. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define SRC_W 613
#define SRC_H 411
#define DST_W 520
#define DST_H 390

typedef unsigned char uchar;

__device__ inline int clampi(int v, int lo, int hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

__global__ void zoom(const uchar *src, uchar *dst, float sx, float sy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= DST_W || y >= DST_H) return;
    float fx = (x + 0.5f) * sx - 0.5f, fy = (y + 0.5f) * sy - 0.5f;
    int ix = (int)floorf(fx), iy = (int)floorf(fy);
    float wx = fx - ix, wy = fy - iy;
    int x0 = clampi(ix, 0, SRC_W - 1), x1 = clampi(ix + 1, 0, SRC_W - 1);
    int y0 = clampi(iy, 0, SRC_H - 1), y1 = clampi(iy + 1, 0, SRC_H - 1);

    float p00 = src[y0 * SRC_W + x0];
    float p01 = src[y0 * SRC_W + x1];
    float p10 = src[y1 * SRC_W + x0];
    float p11 = src[y1 * SRC_W + x1];

    float a = p00 + wx * (p01 - p00);
    float b = p10 + wx * (p11 - p10);
    dst[y * DST_W + x] = (uchar)(a + wy * (b - a) + 0.5f);
}

__global__ void rotate(const uchar *__restrict__ src, uchar *__restrict__ dst, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= DST_W || y >= DST_H) return;
    float dx = x - DST_W * 0.5f, dy = y - DST_H * 0.5f;
    float fx = c * dx - s * dy + SRC_W * 0.5f;
    float fy = s * dx + c * dy + SRC_H * 0.5f;
    int ix = (int)floorf(fx), iy = (int)floorf(fy);
    uchar result = 128;
    if (ix >= 0 && iy >= 0 && ix < SRC_W - 1 && iy < SRC_H - 1) {
        int wx = (int)((fx - ix) * 16.0f), wy = (int)((fy - iy) * 16.0f);
        const uchar *p = src + iy * SRC_W + ix;
        int t = p[0] * (16 - wx);
        t += p[1] * wx;
        int u = p[SRC_W] * (16 - wx);
        u += p[SRC_W + 1] * wx;
        result = (uchar)((t * (16 - wy) + u * wy) >> 8);
    }
    dst[y * DST_W + x] = result;
}

__global__ void zoom_rgb(const uchar3 *src, uchar3 *dst, int sw, int sh, int dw, int dh)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= dw * dh) return;
    int x = idx % dw, y = idx / dw;
    int fx = x * ((sw - 1) * 256 / dw), fy = y * ((sh - 1) * 256 / dh);
    int ix = fx >> 8, iy = fy >> 8, wx = fx & 255, wy = fy & 255;
    uchar3 a = src[iy * sw + ix];
    uchar3 b = src[iy * sw + ix + 1];
    uchar3 c = src[(iy + 1) * sw + ix];
    uchar3 d = src[(iy + 1) * sw + ix + 1];
#define MIX(f) ((((a.f * (256 - wx) + b.f * wx) >> 8) * (256 - wy) + ((c.f * (256 - wx) + d.f * wx) >> 8) * wy) >> 8)
    uchar3 o = make_uchar3(MIX(x), MIX(y), MIX(z));
    dst[idx] = o;
}

int main(void)
{
    size_t ns = SRC_W * SRC_H, nd = DST_W * DST_H;
    const int sw = 200, sh = 150, dw = 301, dh = 230;
    uchar *h = (uchar *)malloc(ns), *o = (uchar *)malloc(nd), *o2 = (uchar *)malloc(3 * dw * dh);
    for (size_t i = 0; i < ns; i++)
        h[i] = (uchar)((i % SRC_W) * (i / SRC_W) / 97 + i % 3);

    uchar *ds, *dd, *dd2, *drgb;
    cudaMalloc((void **)&ds, ns);
    cudaMalloc((void **)&dd, nd);
    cudaMalloc((void **)&dd2, nd);
    cudaMalloc((void **)&drgb, 3 * dw * dh);
    cudaMemcpy(ds, h, ns, cudaMemcpyHostToDevice);

    dim3 b(16, 16), g((DST_W + 15) / 16, (DST_H + 15) / 16);
    zoom<<<g, b>>>(ds, dd, (float)SRC_W / DST_W, (float)SRC_H / DST_H);
    zoom<<<g, b>>>(ds, dd2, 0.3f, 0.25f);
    dim3 b2(32, 4), g2((DST_W + 31) / 32, (DST_H + 3) / 4);
    unsigned long long sum = 0;
    cudaMemcpy(o, dd2, nd, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < nd; i++) sum += o[i] * (i % 17 + 1);
    rotate<<<g2, b2>>>(ds, dd2, 0.8660254f, 0.5f);
    zoom_rgb<<<(dw * dh + 255) / 256, 256>>>((const uchar3 *)ds, (uchar3 *)drgb, sw, sh, dw, dh);
    if (cudaDeviceSynchronize() != cudaSuccess) { fprintf(stderr, "launch failed\n"); return 1; }

    cudaMemcpy(o, dd, nd, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < nd; i++) sum += o[i] * (i % 19 + 1);
    cudaMemcpy(o, dd2, nd, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < nd; i++) sum += o[i] * (i % 23 + 1);
    cudaMemcpy(o2, drgb, 3 * dw * dh, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3 * dw * dh; i++) sum += o2[i] * (i % 29 + 1);
    printf("bilinear %llu\n", sum);
    return 0;
}
