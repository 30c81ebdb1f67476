// Sample covariance matrix of daily returns (days x assets, row major) and portfolio variance.
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstdio>
#include <cuda_runtime.h>

#define HANDLE(e) handle_error((e), __FILE__, __LINE__)
static inline void handle_error(cudaError_t e, const char* f, int l)
{
    if (e != cudaSuccess) { std::cerr << f << ":" << l << " " << cudaGetErrorString(e) << '\n'; std::exit(1); }
}

__global__ void column_means(const float* ret, int days, int assets, float* mean)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= assets) return;
    double s = 0;
    for (int t = 0; t < days; ++t) s += ret[(size_t)t * assets + a];
    mean[a] = (float)(s / days);
}

// 32x32 tile of the matrix per block, 2x2 entries per thread, KT days at a time in shared memory.
// The matrix is symmetric: only tiles on or above the diagonal are computed, the rest mirrored.
constexpr int TILE = 32;
constexpr int KT = 16;

__global__ void __launch_bounds__(256)
covariance(const float* __restrict__ ret, const float* __restrict__ mean, int days, int assets,
           float* __restrict__ cov)
{
    if (blockIdx.y > blockIdx.x) return;        // whole block, before any barrier

    __shared__ float su[KT][TILE];
    __shared__ float sv[KT][TILE];
    const int a0 = blockIdx.y * TILE, b0 = blockIdx.x * TILE;
    const int tid = threadIdx.y * 16 + threadIdx.x;
    const int lc = tid & 31, lr = tid >> 5;     // loader: column of the tile, day (0..7)

    const int la = a0 + lc, lb = b0 + lc;
    const float ma = la < assets ? mean[la] : 0.0f;
    const float mb = lb < assets ? mean[lb] : 0.0f;

    float acc[2][2] = {{0.0f, 0.0f}, {0.0f, 0.0f}};
    for (int t0 = 0; t0 < days; t0 += KT) {
#pragma unroll
        for (int h = 0; h < KT; h += 8) {
            const int t = t0 + lr + h;
            const size_t row = (size_t)t * assets;
            su[lr + h][lc] = (t < days && la < assets) ? ret[row + la] - ma : 0.0f;
            sv[lr + h][lc] = (t < days && lb < assets) ? ret[row + lb] - mb : 0.0f;
        }
        __syncthreads();
        const int lim = min(KT, days - t0);
        for (int k = 0; k < lim; ++k) {
            const float u0 = su[k][threadIdx.y], u1 = su[k][threadIdx.y + 16];
            const float v0 = sv[k][threadIdx.x], v1 = sv[k][threadIdx.x + 16];
            acc[0][0] += u0 * v0;
            acc[0][1] += u0 * v1;
            acc[1][0] += u1 * v0;
            acc[1][1] += u1 * v1;
        }
        __syncthreads();
    }

    const bool mirror = blockIdx.x != blockIdx.y;
#pragma unroll
    for (int p = 0; p < 2; ++p)
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            const int a = a0 + threadIdx.y + 16 * p, b = b0 + threadIdx.x + 16 * q;
            if (a < assets && b < assets) {
                const float c = acc[p][q] / (days - 1);
                cov[(size_t)a * assets + b] = c;
                if (mirror) cov[(size_t)b * assets + a] = c;
            }
        }
}

class DeviceFloats {
public:
    explicit DeviceFloats(size_t n) : n_(n) { HANDLE(cudaMalloc(&p_, n * sizeof(float))); }
    ~DeviceFloats() { cudaFree(p_); }
    DeviceFloats(const DeviceFloats&) = delete;
    DeviceFloats& operator=(const DeviceFloats&) = delete;
    float* get() { return p_; }
    void up(const std::vector<float>& v) { HANDLE(cudaMemcpy(p_, v.data(), n_ * sizeof(float), cudaMemcpyHostToDevice)); }
    void down(std::vector<float>& v) { HANDLE(cudaMemcpy(v.data(), p_, n_ * sizeof(float), cudaMemcpyDeviceToHost)); }
private:
    size_t n_;
    float* p_ = nullptr;
};

int main()
{
    const int days = 190, assets = 211;
    std::vector<float> r((size_t)days * assets), w(assets);
    uint64_t s = 0x9E3779B97F4A7C15ull;
    auto uni = [&] { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (float)((s >> 40) * (1.0 / 16777216.0)) - 0.5f; };
    for (int t = 0; t < days; ++t) {
        float mkt = 0.02f * uni();
        for (int a = 0; a < assets; ++a)
            r[(size_t)t * assets + a] = 0.0003f + (0.5f + 0.01f * (a % 90)) * mkt + 0.03f * uni();
    }
    for (int a = 0; a < assets; ++a) w[a] = 1.0f / assets;

    DeviceFloats dr(r.size()), dm(assets), dc((size_t)assets * assets);
    dr.up(r);
    column_means<<<(assets + 63) / 64, 64>>>(dr.get(), days, assets, dm.get());
    HANDLE(cudaGetLastError());
    dim3 blk(16, 16), grd((assets + TILE - 1) / TILE, (assets + TILE - 1) / TILE);
    covariance<<<grd, blk>>>(dr.get(), dm.get(), days, assets, dc.get());
    HANDLE(cudaGetLastError());

    std::vector<float> c((size_t)assets * assets);
    dc.down(c);
    double var = 0, tr = 0;
    for (int a = 0; a < assets; ++a) {
        tr += c[(size_t)a * assets + a];
        for (int b = 0; b < assets; ++b) var += (double)w[a] * w[b] * c[(size_t)a * assets + b];
    }
    std::printf("trace %.7f  annual vol %.6f\n", tr, std::sqrt(var * 252));
    for (int k = 0; k < assets; k += 42) std::printf("c(%d,%d) = %.4e\n", k, assets - 1 - k, c[(size_t)k * assets + assets - 1 - k]);
    return 0;
}
