#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iomanip>
#include <vector>
#include <stdexcept>
#include <string>

// Sampling front end of a language-model server: temperature, banned-token mask, softmax.

static void check(cudaError_t err, const char* what) {
    if (err != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(err));
}

template <typename T>
struct DeviceArray {
    T* p = nullptr;
    size_t n;
    explicit DeviceArray(size_t n_) : n(n_) { check(cudaMalloc((void**)&p, n * sizeof(T)), "malloc"); }
    ~DeviceArray() { cudaFree(p); }
    void up(const std::vector<T>& h) { check(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice), "h2d"); }
    void down(std::vector<T>& h) { check(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost), "d2h"); }
};

constexpr int BLOCK = 256;

// Running (max, sum) pair of the online softmax: one read of the logits instead of two.
struct MS { float m, s; };

__device__ __forceinline__ MS push(MS a, float x)
{
    if (x > a.m) { a.s = a.s * expf(a.m - x) + 1.f; a.m = x; }
    else a.s += expf(x - a.m);
    return a;
}

__device__ __forceinline__ MS merge(MS a, MS b)
{
    MS r;
    r.m = fmaxf(a.m, b.m);
    r.s = a.s * expf(a.m - r.m) + b.s * expf(b.m - r.m);
    return r;
}

__device__ __forceinline__ MS warpMerge(MS a)
{
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        MS b;
        b.m = __shfl_xor_sync(0xffffffffu, a.m, o);
        b.s = __shfl_xor_sync(0xffffffffu, a.s, o);
        a = merge(a, b);
    }
    return a;
}

// At least one token of every row is allowed.
__global__ void __launch_bounds__(BLOCK)
masked_softmax(const float* __restrict__ logits, const uint8_t* __restrict__ banned,
               float* __restrict__ probs, int vocab, float invTemp)
{
    __shared__ MS part[BLOCK / 32];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * vocab;
    const float* in = logits + base;
    const uint8_t* ban = banned + base;
    float* out = probs + base;

    MS a{-INFINITY, 0.f};
    for (int i = t; i < vocab; i += BLOCK)
        if (!ban[i]) a = push(a, in[i] * invTemp);

    a = warpMerge(a);
    if ((t & 31) == 0) part[t >> 5] = a;
    __syncthreads();
    MS tot = part[0];
#pragma unroll
    for (int w = 1; w < BLOCK / 32; ++w) tot = merge(tot, part[w]);

    const float inv = 1.f / tot.s;
    for (int i = t; i < vocab; i += BLOCK)
        out[i] = ban[i] ? 0.f : expf(in[i] * invTemp - tot.m) * inv;
}

int main()
{
    const int batch = 96, vocab = 5000;
    std::vector<float> logits((size_t)batch * vocab), probs(logits.size());
    std::vector<uint8_t> banned(logits.size(), 0);
    for (int b = 0; b < batch; ++b)
        for (int v = 0; v < vocab; ++v) {
            unsigned h = (unsigned)(b * 7919 + v) * 2654435761u;
            h ^= h >> 15;
            logits[(size_t)b * vocab + v] = ((h & 0xffff) / 65536.f - 0.5f) * 18.f;
            // special tokens live at the end of the vocabulary; plus a few words per user
            if (v >= vocab - 64) banned[(size_t)b * vocab + v] = 1;
            if (v > 1000 && (v + b) % 701 == 0) banned[(size_t)b * vocab + v] = 1;
        }

    try {
        DeviceArray<float> dl(logits.size()), dp(logits.size());
        DeviceArray<uint8_t> db(banned.size());
        dl.up(logits);
        db.up(banned);
        masked_softmax<<<batch, BLOCK>>>(dl.p, db.p, dp.p, vocab, 1.f / 0.8f);
        check(cudaGetLastError(), "launch");
        check(cudaDeviceSynchronize(), "sync");
        dp.down(probs);
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }

    double entropy = 0, worst = 0;
    for (int b = 0; b < batch; ++b) {
        double s = 0;
        for (int v = 0; v < vocab; ++v) {
            double p = probs[(size_t)b * vocab + v];
            s += p;
            if (p > 0) entropy -= p * std::log(p);
        }
        worst = std::max(worst, std::fabs(s - 1.0));
    }
    std::cout << std::fixed << std::setprecision(4) << "mean entropy " << entropy / batch
              << (worst < 1e-3 ? "  rows normalised" : "  ROWS NOT NORMALISED") << "\n";
    for (int v = 0; v < 8; ++v) std::cout << std::setprecision(8) << probs[v] << (v == 7 ? '\n' : ' ');
}
