// LayerNorm over long rows: row statistics by atomics over several blocks, then normalisation.
#include <cstdio>
#include <vector>
#include <cmath>
#include <stdexcept>
#include <string>
#include <cuda_runtime.h>

static void ok(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(e)); }

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) : n_(n) { ok(cudaMalloc(&p_, n * sizeof(T))); ok(cudaMemset(p_, 0, n * sizeof(T))); }
    explicit DeviceArray(const std::vector<T>& h) : DeviceArray(h.size()) { ok(cudaMemcpy(p_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice)); }
    ~DeviceArray() { cudaFree(p_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return p_; }
    std::vector<T> host() const { std::vector<T> h(n_); ok(cudaMemcpy(h.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost)); return h; }
private:
    T* p_ = nullptr;
    size_t n_;
};

constexpr int BS = 128, VEC = 2;                  // float4 per thread and block tile
constexpr int TILE = BS * VEC;                     // in float4

// cols must be a multiple of 4 (checked by the host)
__global__ void __launch_bounds__(BS)
row_stats(const float4* __restrict__ x, int cols4, float2* __restrict__ stats)
{
    __shared__ float2 part[BS / 32];
    const float4* row = x + (size_t)blockIdx.y * cols4;
    const int base = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f, sq = 0.0f;
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
        const int c = base + k * BS;
        if (c < cols4) {
            const float4 v = __ldg(&row[c]);
            sum += (v.x + v.y) + (v.z + v.w);
            sq += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
        }
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
        sq += __shfl_xor_sync(0xffffffffu, sq, o);
    }
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = make_float2(sum, sq);
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < BS / 32; ++w) { sum += part[w].x; sq += part[w].y; }
        atomicAdd(&stats[blockIdx.y].x, sum);
        atomicAdd(&stats[blockIdx.y].y, sq);
    }
}

__global__ void __launch_bounds__(BS)
normalize(const float4* __restrict__ x, const float4* __restrict__ gamma, const float4* __restrict__ beta,
          const float2* __restrict__ stats, int cols4, float eps, float4* __restrict__ y)
{
    const float2 st = stats[blockIdx.y];
    const int cols = cols4 * 4;
    const float mean = st.x / cols;
    const float rstd = rsqrtf(fmaxf(st.y / cols - mean * mean, 0.0f) + eps);
    const size_t off = (size_t)blockIdx.y * cols4;
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
        const int c = blockIdx.x * TILE + k * BS + threadIdx.x;
        if (c < cols4) {
            float4 v = x[off + c];
            const float4 g = __ldg(&gamma[c]), b = __ldg(&beta[c]);
            v.x = (v.x - mean) * rstd * g.x + b.x;
            v.y = (v.y - mean) * rstd * g.y + b.y;
            v.z = (v.z - mean) * rstd * g.z + b.z;
            v.w = (v.w - mean) * rstd * g.w + b.w;
            y[off + c] = v;
        }
    }
}

int main()
{
    try {
        const int rows = 60, cols = 3100;
        std::vector<float> x(rows * cols), gamma(cols), beta(cols);
        unsigned s = 555;
        for (auto& v : x) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; v = ((s >> 8) / 16777216.0f - 0.45f) * 3.0f; }
        for (int c = 0; c < cols; ++c) { gamma[c] = 1.0f + 0.1f * std::sin(0.01f * c); beta[c] = 0.05f * std::cos(0.02f * c); }
        DeviceArray<float> dx(x), dg(gamma), db(beta), dy(rows * cols);
        DeviceArray<float2> stats(rows);

        if (cols % 4 != 0) throw std::runtime_error("cols must be a multiple of 4");
        const int cols4 = cols / 4;
        auto vec = [](const DeviceArray<float>& a) { return reinterpret_cast<float4*>(a.get()); };
        dim3 grid((cols4 + TILE - 1) / TILE, rows);
        row_stats<<<grid, BS>>>(vec(dx), cols4, stats.get());
        normalize<<<grid, BS>>>(vec(dx), vec(dg), vec(db), stats.get(), cols4, 1e-5f, vec(dy));
        ok(cudaGetLastError());

        std::vector<float> y = dy.host();
        double sum = 0, sq = 0;
        for (float v : y) { sum += v; sq += (double)v * v; }
        std::printf("mean %.5f rms %.5f\n", sum / y.size(), std::sqrt(sq / y.size()));
        for (int r = 0; r < rows; r += 17) std::printf("y[%d] %.4f %.4f %.4f\n", r, y[r * cols], y[r * cols + 1234], y[r * cols + cols - 1]);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
