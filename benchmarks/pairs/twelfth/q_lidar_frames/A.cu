// Depth frames of a range camera, frame by frame: histogram -> equalization table -> 8-bit preview,
// plus a box-filtered depth (integer). One frame after the other.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void must(cudaError_t e, const char* where)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
    exit(1);
}

enum { W = 320, H = 180, LEVELS = 256, FRAMES = 9 };

// 12-bit depth
__global__ void histogram(const uint16_t* depth, unsigned* hist, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&hist[(depth[i] & 0xFFF) >> 4], 1u);
}

// one block of LEVELS threads
__global__ void table(const unsigned* hist, uint8_t* lut, int n)
{
    __shared__ unsigned cdf[LEVELS];
    int t = threadIdx.x;
    cdf[t] = hist[t];
    __syncthreads();
    for (int d = 1; d < LEVELS; d *= 2) {
        unsigned v = t >= d ? cdf[t - d] : 0;
        __syncthreads();
        cdf[t] += v;
        __syncthreads();
    }
    lut[t] = (uint8_t)((unsigned long long)cdf[t] * 255 / n);
}

__global__ void preview(const uint16_t* depth, const uint8_t* lut, uint8_t* img, uint16_t* smooth, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    img[y * w + x] = lut[(depth[y * w + x] & 0xFFF) >> 4];
    unsigned s = 0, c = 0;
    for (int yy = max(y - 2, 0); yy <= min(y + 2, h - 1); ++yy)
        for (int xx = max(x - 2, 0); xx <= min(x + 2, w - 1); ++xx) {
            s += depth[yy * w + xx] & 0xFFF;
            ++c;
        }
    smooth[y * w + x] = (uint16_t)((s + c / 2) / c);
}

static void grab(uint16_t* d, int f)
{
    uint32_t s = 99u + f;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            s = s * 1664525u + 1013904223u;
            int dx = x - 40 - 25 * f, dy = y - 90;
            int v = 900 + 9 * y + (int)(s >> 26);
            if (dx * dx + dy * dy < 1600) v = 500 + (dx * dx + dy * dy) / 8 + (int)(s >> 28);
            d[y * W + x] = (uint16_t)(v | (f & 7) << 12);      // frame tag in the top bits
        }
}

int main()
{
    const int n = W * H;
    std::vector<uint16_t> frame(n), smooth((size_t)n * FRAMES);
    std::vector<uint8_t> img((size_t)n * FRAMES);
    uint16_t *dDepth, *dSmooth;
    uint8_t *dLut, *dImg;
    unsigned* dHist;
    must(cudaMalloc(&dDepth, n * 2), "malloc");
    must(cudaMalloc(&dSmooth, n * 2), "malloc");
    must(cudaMalloc(&dImg, n), "malloc");
    must(cudaMalloc(&dLut, LEVELS), "malloc");
    must(cudaMalloc(&dHist, LEVELS * sizeof(unsigned)), "malloc");

    dim3 blk(32, 8), grd((W + 31) / 32, (H + 7) / 8);
    for (int f = 0; f < FRAMES; ++f) {
        grab(frame.data(), f);
        must(cudaMemcpy(dDepth, frame.data(), n * 2, cudaMemcpyHostToDevice), "h2d");
        must(cudaMemset(dHist, 0, LEVELS * sizeof(unsigned)), "memset");
        histogram<<<(n + 255) / 256, 256>>>(dDepth, dHist, n);
        table<<<1, LEVELS>>>(dHist, dLut, n);
        preview<<<grd, blk>>>(dDepth, dLut, dImg, dSmooth, W, H);
        must(cudaGetLastError(), "launch");
        must(cudaMemcpy(&img[(size_t)f * n], dImg, n, cudaMemcpyDeviceToHost), "d2h");
        must(cudaMemcpy(&smooth[(size_t)f * n], dSmooth, n * 2, cudaMemcpyDeviceToHost), "d2h");
    }

    for (int f = 0; f < FRAMES; ++f) {
        unsigned long a = 0, b = 0;
        for (int i = 0; i < n; ++i) {
            a = (a * 33 + img[(size_t)f * n + i]) % 1000000007ul;
            b += smooth[(size_t)f * n + i];
        }
        printf("frame %d: preview %lu, mean depth %.4f\n", f, a, (double)b / n);
    }
    must(cudaFree(dDepth), "free"); must(cudaFree(dSmooth), "free"); must(cudaFree(dImg), "free");
    must(cudaFree(dLut), "free"); must(cudaFree(dHist), "free");
    return 0;
}
