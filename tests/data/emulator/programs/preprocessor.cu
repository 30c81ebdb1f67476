// Directives, macros that write kernels, raw strings, digit separators, comments in odd places.
#include <cstdio>
#include <cuda_runtime.h>
#define HD __host__ __device__ __forceinline__
#define KERNEL extern "C" __global__
#define BOUNDS __launch_bounds__(256)
#define DEFINE_FILL(T, name) \
  __global__ void fill_##name(T* out, T v) { \
    __shared__ T cell[32]; \
    cell[threadIdx.x] = v; __syncthreads(); /* barrier */ \
    out[threadIdx.x] = cell[31 - threadIdx.x]; \
  }
#define CUDA_CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define LAUNCH_KERNEL(k, n, ...) do { int b_ = 32; k<<<((n) + b_ - 1) / b_, b_>>>(__VA_ARGS__); CUDA_CHECK(cudaGetLastError()); } while (0)
DEFINE_FILL(int, i)
DEFINE_FILL(float, f)
#if 0
__global__ void broken(int* out) { <<< ??? """
#endif
#ifdef NOT_DEFINED
__global__ void variant(int* out, float v) {
#else
__global__ void variant(int* out, int v) {
#endif
  out[threadIdx.x] = v;
}
HD int twice(int v) { return v * 2; }
KERNEL void BOUNDS plain(int* out /* where */, int n) // what
{ const char* text = R"x(a<<<1,1>>>(b); " __shared__ ")x"; int big = 1'000; char quote = '\'', other = '"'; if (threadIdx.x < n) out[threadIdx.x] = twice(big) + text[0] + (quote < other); }
template <typename T> __device__ __noinline__ T slow(T v) { return v + 1; }
#pragma unroll
template <typename T>
__global__ void
#if defined(__CUDACC__)
__launch_bounds__(64)
#endif
spread
  (T* out,
   T v = T(3))
{
#pragma unroll 4
  for (int i = 0; i < 4; i++)
    out[threadIdx.x] = slow(v);
}
int main() {
  int* d; CUDA_CHECK(cudaMalloc(&d, 256)); int h[32]; bool ok = true;
  auto first = [&] { CUDA_CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)); return h[0]; };
  fill_i<<<1, 32>>>(d, 5); ok &= first() == 5;
  LAUNCH_KERNEL(fill_f, 32, (float*)d, 1.0f); ok &= first() == 0x3f800000;
  LAUNCH_KERNEL(plain, 32, d, 32); ok &= first() == 2000 + 'a' + 0;
  LAUNCH_KERNEL(variant, 32, d, 9); ok &= first() == 9;
  spread
    <<< dim3(1),  // grid
        32 /* block */
    >>>
    (d,
     4);
  ok &= first() == 5; spread<int><<<1, 32>>>(d); ok &= first() == 4; LAUNCH_KERNEL((spread<int>), 32, d, 6); ok &= first() == 7;
  puts(ok ? "preprocessor PASS" : "preprocessor FAIL"); return !ok;
}
