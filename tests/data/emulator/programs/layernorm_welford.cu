// Layer normalisation with Welford's update, generic over type, block reduction of a struct by shuffles.
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>
#include <cmath>
template <typename T> struct Welford { T mean, m2, count; };
template <typename T> __device__ Welford<T> combine(Welford<T> a, Welford<T> b) { if (b.count == T(0)) return a; T d = b.mean - a.mean, n = a.count + b.count; return {a.mean + d * b.count / n, a.m2 + b.m2 + d * d * a.count * b.count / n, n}; }
template <typename T, int N> struct alignas(sizeof(T) * N) Pack { T elem[N]; };
template <typename Scalar, int VEC> __global__ void layernorm(const Scalar* x, Scalar* y, const float* gamma, int cols, float eps) {
  using Vec = Pack<Scalar, VEC>; const Vec* row = reinterpret_cast<const Vec*>(x + (size_t)blockIdx.x * cols); Welford<float> w = {0, 0, 0};
  for (int i = threadIdx.x; i < cols / VEC; i += blockDim.x) { Vec v = row[i];
#pragma unroll
    for (int k = 0; k < VEC; ++k) w = combine(w, Welford<float>{static_cast<float>(v.elem[k]), 0.f, 1.f}); }
  for (int mask = 16; mask > 0; mask /= 2) { Welford<float> o; o.mean = __shfl_xor_sync(0xffffffff, w.mean, mask); o.m2 = __shfl_xor_sync(0xffffffff, w.m2, mask); o.count = __shfl_xor_sync(0xffffffff, w.count, mask); w = combine(w, o); }
  __shared__ float mean, inv; if (threadIdx.x == 0) { mean = w.mean; inv = rsqrtf(w.m2 / w.count + eps); } __syncthreads();
  Vec* out = reinterpret_cast<Vec*>(y + (size_t)blockIdx.x * cols); for (int i = threadIdx.x; i < cols / VEC; i += blockDim.x) { Vec v = row[i], r; for (int k = 0; k < VEC; ++k) r.elem[k] = static_cast<Scalar>((static_cast<float>(v.elem[k]) - mean) * inv * gamma[i * VEC + k]); out[i] = r; }
}
template <typename S, int V> bool test(float tolerance) { const int rows = 3, cols = 128; std::vector<S> h(rows * cols); std::vector<float> g(cols, 2.f); for (int i = 0; i < rows * cols; i++) h[i] = S(float(i % 17)); S *x, *y; float* gamma; cudaMalloc(&x, h.size() * sizeof(S)); cudaMalloc(&y, h.size() * sizeof(S)); cudaMalloc(&gamma, cols * 4); cudaMemcpy(x, h.data(), h.size() * sizeof(S), cudaMemcpyHostToDevice); cudaMemcpy(gamma, g.data(), cols * 4, cudaMemcpyHostToDevice); layernorm<S, V><<<rows, 32>>>(x, y, gamma, cols, 1e-5f); cudaMemcpy(h.data(), y, h.size() * sizeof(S), cudaMemcpyDeviceToHost); double s = 0, q = 0; for (int i = 0; i < cols; i++) { s += float(h[i]); q += float(h[i]) * float(h[i]); } return std::fabs(s / cols) < tolerance && std::fabs(q / cols - 4) < tolerance; }
int main() { bool ok = test<float, 4>(1e-3f) && test<__half, 8>(2e-2f) && test<float, 1>(1e-3f); std::printf("layernorm_welford %s\n", ok ? "PASS" : "FAIL"); return !ok; }
