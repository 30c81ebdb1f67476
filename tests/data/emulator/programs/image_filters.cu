// Bytes and colours: uchar3/uchar4, 2-D blocks with halos, clamping, separable filter, integer SIMD.
#include <cstdio>
#include <cstring>
#include <algorithm>
#define RADIUS 2
typedef unsigned char uchar;
__constant__ int kernel_weights[2 * RADIUS + 1] = {1, 4, 6, 4, 1};
__device__ int clamp(int v, int lo, int hi) { return max(lo, min(v, hi)); }
__global__ void gray(const uchar3* in, uchar* out, int w, int h) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < w && y < h) { uchar3 p = in[y * w + x]; out[y * w + x] = (uchar)((p.x * 77 + p.y * 150 + p.z * 29) >> 8); } }
__global__ void rows(const uchar* in, uchar* out, int w, int h) { __shared__ uchar line[64 + 2 * RADIUS]; int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y; line[threadIdx.x + RADIUS] = in[y * w + clamp(x, 0, w - 1)]; if (threadIdx.x < RADIUS) { line[threadIdx.x] = in[y * w + clamp(x - RADIUS, 0, w - 1)]; line[threadIdx.x + 64 + RADIUS] = in[y * w + clamp(x + 64, 0, w - 1)]; } __syncthreads(); if (x >= w) return; int s = 0; for (int k = -RADIUS; k <= RADIUS; k++) s += kernel_weights[k + RADIUS] * line[threadIdx.x + RADIUS + k]; out[y * w + x] = s / 16; }
__global__ void blend(const uchar4* a, const uchar4* b, uchar4* c) { int i = threadIdx.x; unsigned x, y; memcpy(&x, &a[i], 4); memcpy(&y, &b[i], 4); x = __vavgu4(x, y); memcpy(&c[i], &x, sizeof x); }
int main() { const int w = 100, h = 5; uchar3 in[w * h]; for (int i = 0; i < w * h; i++) in[i] = make_uchar3(i % 256, i % 256, i % 256); uchar3* d; uchar *g, *o, out[w * h]; cudaMalloc(&d, sizeof in); cudaMalloc(&g, w * h); cudaMalloc(&o, w * h); cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice); gray<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, g, w, h); rows<<<dim3(2, h), 64>>>(g, o, w, h); cudaMemcpy(out, o, w * h, cudaMemcpyDeviceToHost); bool ok = out[50] == 50 && out[150] == 150 && out[0] == 0 + (4 * 1 + 2) / 16; blend<<<1, 16>>>((uchar4*)g, (uchar4*)o, (uchar4*)d); uchar c[4]; cudaMemcpy(c, d, 4, cudaMemcpyDeviceToHost); cudaMemcpy(out, g, 4, cudaMemcpyDeviceToHost); ok &= c[3] == 3; printf("image_filters %s\n", ok ? "PASS" : "FAIL"); return !ok; }
