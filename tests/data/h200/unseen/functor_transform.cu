// Generic transform / zip with functors and constexpr; 64-bit indices and grid-stride loop.
#include <cstdint>
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

struct Saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

struct Relu6 {
    __host__ __device__ float operator()(float x) const { return x < 0.f ? 0.f : (x > 6.f ? 6.f : x); }
};

template <class In, class Out, class F>
__global__ void transform(const In* in, Out* out, int64_t n, F f)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = f(in[i]);
}

template <class T, class F>
__global__ void zip_inplace(T* x, const T* y, int64_t n, F f)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i], y[i]);
}

template <int ITEMS, class T>
__global__ void strided_copy(const T* __restrict__ src, T* __restrict__ dst, int64_t n, int64_t step)
{
    int64_t base = (int64_t)blockIdx.x * (blockDim.x * ITEMS) + threadIdx.x;
    T r[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int64_t j = base + k * (int64_t)blockDim.x;
        r[k] = j < n ? src[j * step % n] : T(0);
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int64_t j = base + k * (int64_t)blockDim.x;
        if (j < n) dst[j] = r[k];
    }
}

struct ToShort { __host__ __device__ short operator()(float v) const { return (short)(v * 100.f); } };

int main()
{
    const int64_t n = 40009;
    std::vector<float> x(n), y(n), z(n), c(n);
    std::vector<short> s(n);
    for (int64_t i = 0; i < n; ++i) { x[i] = float(i % 21) - 10.f; y[i] = float(i % 8); }
    float *dx, *dy, *dc; short* ds;
    cudaMalloc(&dx, n * sizeof(float)); cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dc, n * sizeof(float)); cudaMalloc(&ds, n * sizeof(short));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    zip_inplace<<<(n + 127) / 128, 128>>>(dx, dy, n, Saxpy{0.5f});
    transform<<<30, 224>>>(dx, dx, n, Relu6());
    transform<<<64, 96>>>(dx, ds, n, ToShort());
    strided_copy<4><<<(n + 511) / 512, 128>>>(dx, dc, n, (int64_t)5);
    cudaMemcpy(z.data(), dx, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(s.data(), ds, n * sizeof(short), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int64_t i = 0; i < n; ++i) {
        float e = Relu6()(Saxpy{0.5f}(x[i], y[i]));
        if (z[i] != e || s[i] != ToShort()(e)) ok = false;
        if (c[i] != z[i * 5 % n]) ok = false;
    }
    printf("functor_transform %s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
