#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

typedef unsigned char u8;
struct Rgb { u8 r, g, b; };

static void die(cudaError_t e, const char *w)
{
    if (e != cudaSuccess) { printf("%s: %s\n", w, cudaGetErrorString(e)); exit(2); }
}

__global__ void toGray(const Rgb *__restrict__ in, u8 *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = in[i].r;
    int g = in[i].g;
    int b = in[i].b;
    out[i] = (u8)((r * 77 + g * 150 + b * 29) >> 8);
}

/* BGR <-> RGB, in place, on the raw byte pointer */
__global__ void swapRB(u8 *px, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u8 a = px[3 * i];
        u8 c = px[3 * i + 2];
        px[3 * i] = c;
        px[3 * i + 2] = a;
    }
}

/* one thread per byte: interleaved to planes */
__global__ void deinterleave(const u8 *__restrict__ in, u8 *planes, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= 3 * n) return;
    u8 v = in[k];
    planes[(k % 3) * n + k / 3] = v;
}

__global__ void rgb2rgba(const Rgb *in, uchar4 *out, const u8 *alpha, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Rgb p = in[y * w + x];
    u8 a = alpha[y];              // one alpha per row
    out[y * w + x] = make_uchar4(p.r, p.g, p.b, a);
}

int main(void)
{
    const int W = 500, H = 333, N = W * H;
    Rgb *h = (Rgb *)malloc(N * sizeof(Rgb));
    for (int i = 0; i < N; i++) {
        h[i].r = (u8)(i % 255);
        h[i].g = (u8)((i / W) * 3);
        h[i].b = (u8)((i * 2654435761u) >> 25);
    }
    u8 al[H];
    for (int y = 0; y < H; y++) al[y] = (u8)(255 - y / 2);

    Rgb *dIn; u8 *dGray, *dPl, *dAl; uchar4 *dOut;
    die(cudaMalloc(&dIn, N * 3), "malloc");
    die(cudaMalloc(&dGray, N), "malloc");
    die(cudaMalloc(&dPl, N * 3), "malloc");
    die(cudaMalloc(&dAl, H), "malloc");
    die(cudaMalloc(&dOut, N * sizeof(uchar4)), "malloc");
    die(cudaMemcpy(dIn, h, N * 3, cudaMemcpyHostToDevice), "h2d");
    die(cudaMemcpy(dAl, al, H, cudaMemcpyHostToDevice), "h2d");

    toGray<<<(N + 255) / 256, 256>>>(dIn, dGray, N);
    swapRB<<<(N + 191) / 192, 192>>>((u8 *)dIn, N);
    deinterleave<<<(3 * N + 255) / 256, 256>>>((const u8 *)dIn, dPl, N);
    dim3 b(24, 10), g((W + 23) / 24, (H + 9) / 10);
    rgb2rgba<<<g, b>>>(dIn, dOut, dAl, W, H);
    die(cudaGetLastError(), "launch");
    die(cudaDeviceSynchronize(), "sync");

    u8 *gray = (u8 *)malloc(N), *pl = (u8 *)malloc(3 * N);
    uchar4 *rgba = (uchar4 *)malloc(N * sizeof(uchar4));
    die(cudaMemcpy(gray, dGray, N, cudaMemcpyDeviceToHost), "d2h");
    die(cudaMemcpy(pl, dPl, 3 * N, cudaMemcpyDeviceToHost), "d2h");
    die(cudaMemcpy(rgba, dOut, N * sizeof(uchar4), cudaMemcpyDeviceToHost), "d2h");
    unsigned long long s = 0;
    for (int i = 0; i < N; i++)
        s = s * 33 + gray[i] + rgba[i].x * 2u + rgba[i].y * 3u + rgba[i].z * 5u + rgba[i].w * 7u;
    for (int i = 0; i < 3 * N; i++) s = s * 33 + pl[i];
    printf("%llu\n", s);
    cudaFree(dIn); cudaFree(dGray); cudaFree(dPl); cudaFree(dAl); cudaFree(dOut);
    free(h); free(gray); free(pl); free(rgba);
    return 0;
}
