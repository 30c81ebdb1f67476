#pragma once
// Header only, so that other projects can copy it. T: float, half or __nv_bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace rr {

template <typename T> __device__ inline float to_float(T v) { return static_cast<float>(v); }
template <> __device__ inline float to_float<__half>(__half v) { return __half2float(v); }
template <> __device__ inline float to_float<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ inline T from_float(float v) { return static_cast<T>(v); }
template <> __device__ inline __half from_float<__half>(float v) { return __float2half(v); }
template <> __device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float v) { return __float2bfloat16(v); }

template <typename T, int THREADS>
__global__ void rms_rows(T* out, const T* in, const T* weight, int cols, float eps) {
  __shared__ float warps[THREADS / 32];
  const T* row = in + blockIdx.x * (long long)cols;
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    float v = to_float<T>(row[c]);
    sum += v * v;
  }
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0.f;
    for (int w = 0; w < THREADS / 32; ++w) all += warps[w];
    warps[0] = rsqrtf(all / cols + eps);
  }
  __syncthreads();
  float scale = warps[0];
  for (int c = threadIdx.x; c < cols; c += THREADS)
    out[blockIdx.x * (long long)cols + c] = from_float<T>(to_float<T>(row[c]) * scale * to_float<T>(weight[c]));
}

}  // namespace rr
