// CLAHE (contrast limited adaptive histogram equalisation) of an 8-bit image, any image size, any number of (non-empty) tiles.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned char uchar;

static void ck(cudaError_t e, const char *f, int l)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e)); exit(1); }
}
#define CK(e) ck(e, __FILE__, __LINE__)

// One block of 256 threads per tile: histogram, clip, redistribute, cumulative map.
__global__ void tile_lut(const uchar *img, int w, int h, int tw, int th, int clip, uchar *lut)
{
    __shared__ int hist[256];
    __shared__ int excess;
    const int t = threadIdx.x;
    hist[t] = 0;
    if (t == 0) excess = 0;
    __syncthreads();

    const int x0 = blockIdx.x * tw, y0 = blockIdx.y * th;
    const int x1 = min(x0 + tw, w), y1 = min(y0 + th, h);
    const int cw = x1 - x0, n = cw * (y1 - y0);
    for (int i = t; i < n; i += 256)
        atomicAdd(&hist[img[(size_t)(y0 + i / cw) * w + x0 + i % cw]], 1);
    __syncthreads();

    int over = hist[t] - clip;
    if (over > 0) {
        atomicAdd(&excess, over);
        hist[t] = clip;
    }
    __syncthreads();
    hist[t] += excess / 256;
    __syncthreads();

    // inclusive scan
    for (int d = 1; d < 256; d <<= 1) {
        int v = t >= d ? hist[t - d] : 0;
        __syncthreads();
        hist[t] += v;
        __syncthreads();
    }
    int m = (int)(((long long)hist[t] * 255 + n / 2) / n);
    lut[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + t] = (uchar)min(m, 255);
}

// bilinear mix of the four nearest tile maps, 8-bit weights
__global__ void apply(const uchar *img, uchar *out, int w, int h, int tw, int th, int ntx, int nty, const uchar *lut)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int fx = max(0, ((2 * x + 1 - tw) * 128) / tw), fy = max(0, ((2 * y + 1 - th) * 128) / th);
    int tx = min(fx >> 8, ntx - 1), ty = min(fy >> 8, nty - 1);
    int ax = fx & 255, ay = fy & 255;
    int tx1 = min(tx + 1, ntx - 1), ty1 = min(ty + 1, nty - 1);
    int v = img[(size_t)y * w + x];
    int a = lut[(ty * ntx + tx) * 256 + v], b = lut[(ty * ntx + tx1) * 256 + v];
    int c = lut[(ty1 * ntx + tx) * 256 + v], d = lut[(ty1 * ntx + tx1) * 256 + v];
    int top = a * (256 - ax) + b * ax, bot = c * (256 - ax) + d * ax;
    out[(size_t)y * w + x] = (uchar)((top * (256 - ay) + bot * ay + 32768) >> 16);
}

int main()
{
    const int w = 810, h = 604, ntx = 8, nty = 6;
    const int tw = (w + ntx - 1) / ntx, th = (h + nty - 1) / nty;
    std::vector<uchar> img((size_t)w * h), res(img.size());
    unsigned r = 99;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            r = r * 1664525u + 1013904223u;
            int v = 70 + x / 16 + y / 20 + ((x / 90 + y / 75) & 1) * 25 + (int)(r >> 28);
            img[(size_t)y * w + x] = (uchar)v;
        }
    const int clip = tw * th / 40;

    uchar *dImg, *dOut, *dLut;
    CK(cudaMalloc(&dImg, img.size()));
    CK(cudaMalloc(&dOut, img.size()));
    CK(cudaMalloc(&dLut, ntx * nty * 256));
    CK(cudaMemcpy(dImg, img.data(), img.size(), cudaMemcpyHostToDevice));

    tile_lut<<<dim3(ntx, nty), 256>>>(dImg, w, h, tw, th, clip, dLut);
    CK(cudaGetLastError());
    dim3 blk(32, 8), grd((w + 31) / 32, (h + 7) / 8);
    apply<<<grd, blk>>>(dImg, dOut, w, h, tw, th, ntx, nty, dLut);
    CK(cudaGetLastError());
    CK(cudaMemcpy(res.data(), dOut, res.size(), cudaMemcpyDeviceToHost));

    double mean = 0, sq = 0; unsigned crc = 0;
    for (uchar v : res) { mean += v; sq += (double)v * v; crc = crc * 31 + v; }
    mean /= res.size();
    printf("mean %.4f var %.4f crc %08x\n", mean, sq / res.size() - mean * mean, crc);
    cudaFree(dImg); cudaFree(dOut); cudaFree(dLut);
    return 0;
}
