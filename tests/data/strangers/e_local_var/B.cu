// Niblack/Sauvola style binarisation of a scanned page: local mean and variance in an 11x11 window.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <string>
#include <stdexcept>
#include <cuda_runtime.h>

constexpr int R = 5;

static void cu(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }

template <typename T> struct DevBuf {
    T *p = nullptr; size_t n;
    explicit DevBuf(size_t count) : n(count) { cu(cudaMalloc(&p, n * sizeof(T))); }
    ~DevBuf() { cudaFree(p); }
    void up(const std::vector<T> &v) { cu(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
    std::vector<T> down() const { std::vector<T> v(n); cu(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
};

// Integral images (of v and v*v) make the cost independent of the window: 8 loads instead of 121.
// sum[y][x] = sum over all pixels above and left of (x, y), with a zero row and column in front.

__global__ void rowScan(const unsigned char *__restrict__ img, int w, float2 *__restrict__ I)
{
    __shared__ float2 warpSum[8];
    const int y = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float2 *row = I + (size_t)(y + 1) * (w + 1);
    float2 carry = make_float2(0.f, 0.f);
    if (threadIdx.x == 0) row[0] = carry;
    for (int b = 0; b < w; b += blockDim.x) {
        int x = b + threadIdx.x;
        float v = x < w ? (float)img[(size_t)y * w + x] : 0.f;
        float2 s = make_float2(v, v * v);
        for (int o = 1; o < 32; o <<= 1) {
            float a = __shfl_up_sync(0xffffffffu, s.x, o), c = __shfl_up_sync(0xffffffffu, s.y, o);
            if (lane >= o) { s.x += a; s.y += c; }
        }
        if (lane == 31) warpSum[warp] = s;
        __syncthreads();
        float2 total = carry;
        for (int k = 0; k < 8; k++) {
            if (k == warp) { s.x += total.x; s.y += total.y; }
            total.x += warpSum[k].x; total.y += warpSum[k].y;
        }
        if (x < w) row[x + 1] = s;
        carry = total;
        __syncthreads();
    }
}

__global__ void colScan(int w, int h, float2 *I)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x > w) return;
    float2 s = make_float2(0.f, 0.f);
    I[x] = s;
    for (int y = 1; y <= h; y++) {
        float2 v = I[(size_t)y * (w + 1) + x];
        s.x += v.x; s.y += v.y;
        I[(size_t)y * (w + 1) + x] = s;
    }
}

__global__ void sauvola(const unsigned char *__restrict__ img, const float2 *__restrict__ I, int w, int h, float k,
                        float *__restrict__ variance, unsigned char *__restrict__ ink)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int x0 = max(x - R, 0), x1 = min(x + R, w - 1) + 1, y0 = max(y - R, 0), y1 = min(y + R, h - 1) + 1;
    float2 a = I[(size_t)y0 * (w + 1) + x0], b = I[(size_t)y0 * (w + 1) + x1];
    float2 c = I[(size_t)y1 * (w + 1) + x0], d = I[(size_t)y1 * (w + 1) + x1];
    float inv = 1.0f / (float)((x1 - x0) * (y1 - y0));
    float mean = ((d.x - b.x) - (c.x - a.x)) * inv;
    float sq = ((d.y - b.y) - (c.y - a.y)) * inv;
    float var = fmaxf(sq - mean * mean, 0.0f);
    variance[y * w + x] = var;
    float threshold = mean * (1.0f + k * (sqrtf(var) / 128.0f - 1.0f));
    ink[y * w + x] = img[y * w + x] < threshold;
}

int main()
{
    const int w = 640, h = 480;
    std::vector<unsigned char> page(w * h);
    unsigned s = 7;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            s = s * 1664525u + 1013904223u;
            int v = 235 + (int)((s >> 28) % 5) - y / 24;             // paper, uneven light, a little noise
            if (y % 24 > 6 && y % 24 < 17 && ((x * 5 + (y / 24) * 11) % 17) < 5) v = 60 + (int)((s >> 20) & 15);
            page[y * w + x] = (unsigned char)v;
        }
    DevBuf<unsigned char> img(w * h), ink(w * h);
    DevBuf<float> var(w * h);
    img.up(page);
    dim3 b(16, 16), g((w + 15) / 16, (h + 15) / 16);
    DevBuf<float2> integral((size_t)(w + 1) * (h + 1));
    rowScan<<<h, 256>>>(img.p, w, integral.p);
    colScan<<<(w + 1 + 127) / 128, 128>>>(w, h, integral.p);
    sauvola<<<g, b>>>(img.p, integral.p, w, h, 0.2f, var.p, ink.p);
    cu(cudaGetLastError());
    auto hv = var.down();
    auto hi = ink.down();
    double mv = 0; long black = 0;
    for (int i = 0; i < w * h; i++) { mv += hv[i]; black += hi[i]; }
    std::printf("mean local variance %.2f, ink pixels %ld (%.2f%%)\n", mv / (w * h), black, 100.0 * black / (w * h));
    std::printf("sigma at centre %.3f\n", std::sqrt(hv[(h / 2) * w + w / 2]));
    return 0;
}
