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

__global__ void covariance(const float* ret, const float* mean, int days, int assets, float* cov)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y * blockDim.y + threadIdx.y;
    if (a >= assets || b >= assets) return;
    float s = 0;
    for (int t = 0; t < days; ++t) {
        float u = ret[(size_t)t * assets + a] - mean[a];
        float v = ret[(size_t)t * assets + b] - mean[b];
        s += u * v;
    }
    cov[(size_t)a * assets + b] = s / (days - 1);
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
    dim3 blk(16, 16), grd((assets + 15) / 16, (assets + 15) / 16);
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
