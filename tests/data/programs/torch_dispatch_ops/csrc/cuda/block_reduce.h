#ifndef BLOCK_REDUCE_H_
#define BLOCK_REDUCE_H_
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>

#define DIVUP(a, b) (((a) + (b) - 1) / (b))
#define CHECK_DIM(x, d) TORCH_CHECK((x).dim() == (d), #x " has the wrong rank")

template <typename T> struct MaxOp { __device__ __forceinline__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <typename T> struct AddOp { __device__ __forceinline__ T operator()(T a, T b) const { return a + b; } };

template <template <typename> class Op, typename T>
__device__ __forceinline__ T warp_reduce(T v) {
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v = Op<T>()(v, __shfl_xor_sync(0xffffffffu, v, m));
  return v;
}

inline int threads_for(const at::Tensor& t) { return t.size(-1) >= 256 ? 256 : 128; }
#endif
