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

__global__ void sauvola(const unsigned char *img, int w, int h, float k, float *variance, unsigned char *ink)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int x0 = max(x - R, 0), x1 = min(x + R, w - 1), y0 = max(y - R, 0), y1 = min(y + R, h - 1);
    int s = 0, q = 0;
    for (int j = y0; j <= y1; j++)
        for (int i = x0; i <= x1; i++) {
            int v = img[j * w + i];
            s += v;
            q += v * v;
        }
    float n = (float)((x1 - x0 + 1) * (y1 - y0 + 1));
    float mean = s / n;
    float var = fmaxf((float)((double)q / n - ((double)s / n) * ((double)s / n)), 0.0f);
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
    sauvola<<<g, b>>>(img.p, w, h, 0.2f, var.p, ink.p);
    cu(cudaGetLastError());
    auto hv = var.down();
    auto hi = ink.down();
    double mv = 0; long black = 0;
    for (int i = 0; i < w * h; i++) { mv += hv[i]; black += hi[i]; }
    std::printf("mean local variance %.2f, ink pixels %ld (%.2f%%)\n", mv / (w * h), black, 100.0 * black / (w * h));
    std::printf("sigma at centre %.3f\n", std::sqrt(hv[(h / 2) * w + w / 2]));
    return 0;
}
