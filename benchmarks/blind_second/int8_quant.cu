// Quantises activations to 8 bits, symmetric, one scale per row, and restores them with a bias per column.
//   int8_quant ROWS COLUMNS     (COLUMNS: a power of two from 256 to 8192)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace cuda_helpers {
inline void ok(cudaError_t status, const char* file, int line)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s(%d): %s\n", file, line, cudaGetErrorString(status));
        std::abort();
    }
}
#define OK(x) cuda_helpers::ok((x), __FILE__, __LINE__)

template <class T>
class Buffer {
public:
    explicit Buffer(size_t n) : n_(n) { OK(cudaMalloc(&p_, n * sizeof(T))); }
    ~Buffer() { cudaFree(p_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    T* get() const { return p_; }
    void put(const std::vector<T>& v) { OK(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice)); }
    std::vector<T> fetch() const
    {
        std::vector<T> v(n_);
        OK(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    size_t n_;
    T* p_ = nullptr;
};
}  // namespace cuda_helpers

using cuda_helpers::Buffer;

__device__ __forceinline__ float largestOf(float4 v)
{
    return fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
}

// A block per row; every thread holds VECTORS times four values, so that the row is read once.
template <int THREADS, int VECTORS>
__global__ void __launch_bounds__(THREADS) quantize(const float4* __restrict__ x, char4* __restrict__ q, float* __restrict__ scale)
{
    constexpr int kPerRow = THREADS * VECTORS;
    __shared__ float partial[THREADS / 32];
    x += static_cast<size_t>(blockIdx.x) * kPerRow;
    q += static_cast<size_t>(blockIdx.x) * kPerRow;

    float4 v[VECTORS];
    float largest = 0.0f;
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
        v[i] = __ldg(x + threadIdx.x + i * THREADS);
        largest = fmaxf(largest, largestOf(v[i]));
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, d));
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = largest;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < THREADS / 32; ++i) largest = fmaxf(largest, partial[i]);

    const float s = largest > 0.0f ? 127.0f / largest : 0.0f;
    if (threadIdx.x == 0) scale[blockIdx.x] = largest / 127.0f;
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
        char4 c;
        c.x = static_cast<signed char>(__float2int_rn(v[i].x * s));
        c.y = static_cast<signed char>(__float2int_rn(v[i].y * s));
        c.z = static_cast<signed char>(__float2int_rn(v[i].z * s));
        c.w = static_cast<signed char>(__float2int_rn(v[i].w * s));
        q[threadIdx.x + i * THREADS] = c;
    }
}

// Rows in y; a thread keeps the bias of its four columns and walks down a few rows.
constexpr int kRowsPerThread = 4;

__global__ void __launch_bounds__(128)
dequantize(const char4* __restrict__ q, const float* __restrict__ scale, const float4* __restrict__ bias, float4* __restrict__ y,
           int rows, int vectors)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= vectors) return;
    const float4 b = __ldg(bias + column);
    const int first = blockIdx.y * kRowsPerThread;
#pragma unroll
    for (int i = 0; i < kRowsPerThread; ++i) {
        const int row = first + i;
        if (row >= rows) return;
        const size_t at = static_cast<size_t>(row) * vectors + column;
        const char4 c = q[at];
        const float s = __ldg(scale + row);
        y[at] = make_float4(fmaf(c.x, s, b.x), fmaf(c.y, s, b.y), fmaf(c.z, s, b.z), fmaf(c.w, s, b.w));
    }
}

static uint32_t scramble(uint32_t x)
{
    x ^= x << 13;
    x *= 0x9e3779b1u;
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x;
}

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 1024;
    const int columns = argc > 2 ? std::atoi(argv[2]) : 1024;
    const size_t n = static_cast<size_t>(rows) * columns;

    // roughly bell-shaped, with outliers in a few columns
    std::vector<float> x(n), bias(columns);
    for (size_t i = 0; i < n; ++i) {
        const uint32_t r = scramble(static_cast<uint32_t>(i) + 1u);
        const int sum = static_cast<int>((r & 1023) + (r >> 10 & 1023) + (r >> 20 & 1023)) - 1535;
        x[i] = sum / 512.0f * (i % columns % 97 == 5 ? 6.0f : 1.0f);
    }
    for (int j = 0; j < columns; ++j) bias[j] = (j % 13 - 6) / 16.0f;

    Buffer<float> dX(n), dScale(rows), dBias(columns), dY(n);
    Buffer<signed char> dQ(n);
    dX.put(x);
    dBias.put(bias);

    const auto* in = reinterpret_cast<const float4*>(dX.get());
    auto* q = reinterpret_cast<char4*>(dQ.get());
    switch (columns) {
        case 256: quantize<64, 1><<<rows, 64>>>(in, q, dScale.get()); break;
        case 512: quantize<128, 1><<<rows, 128>>>(in, q, dScale.get()); break;
        case 1024: quantize<256, 1><<<rows, 256>>>(in, q, dScale.get()); break;
        case 2048: quantize<256, 2><<<rows, 256>>>(in, q, dScale.get()); break;
        case 4096: quantize<256, 4><<<rows, 256>>>(in, q, dScale.get()); break;
        case 8192: quantize<256, 8><<<rows, 256>>>(in, q, dScale.get()); break;
        default: std::fprintf(stderr, "COLUMNS: a power of two from 256 to 8192\n"); return 1;
    }
    OK(cudaGetLastError());
    const int vectors = columns / 4;
    const dim3 grid((vectors + 127) / 128, (rows + kRowsPerThread - 1) / kRowsPerThread);
    dequantize<<<grid, 128>>>(q, dScale.get(), reinterpret_cast<const float4*>(dBias.get()), reinterpret_cast<float4*>(dY.get()), rows,
                              vectors);
    OK(cudaGetLastError());

    const std::vector<signed char> codes = dQ.fetch();
    const std::vector<float> y = dY.fetch(), scale = dScale.fetch();
    double error = 0, scales = 0, codeSum = 0;
    for (size_t i = 0; i < n; ++i) {
        const double e = y[i] - bias[i % columns] - x[i];
        error += e * e;
        codeSum += codes[i] < 0 ? -codes[i] : codes[i];
    }
    for (float s : scale) scales += s;
    std::printf("mean scale %.6f\n", scales / rows);
    std::printf("mean |code| %.4f\n", codeSum / n);
    std::printf("mean squared error %.4e\n", error / n);
    std::printf("codes %d %d %d, restored %.4f %.4f\n", codes[0], codes[n / 2 + 7], codes[n - 1], y[0], y[n - 1]);
    return 0;
}
