#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <ATen/Dispatch.h>
#include <cfloat>
#include "block_reduce.h"

namespace seqops {
namespace {

// one warp per row. fp32 accumulate whatever the storage type is
template <typename scalar_t>
__global__ void __launch_bounds__(128) seg_softmax_kernel(scalar_t* __restrict__ y, float* __restrict__ lse,
                                                          const scalar_t* __restrict__ x, const int rows, const int cols, const float scale)
{
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const scalar_t* src = x + (int64_t)row * cols;
  float m = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, static_cast<float>(src[c]) * scale);
  m = warp_reduce<MaxOp, float>(m);
  float s = 0.f;
  for (int c = threadIdx.x; c < cols; c += 32) s += __expf(static_cast<float>(src[c]) * scale - m);
  s = warp_reduce<AddOp, float>(s);
  scalar_t* dst = y + (int64_t)row * cols;
  for (int c = threadIdx.x; c < cols; c += 32) dst[c] = static_cast<scalar_t>(__expf(static_cast<float>(src[c]) * scale - m) / s);
  if (threadIdx.x == 0) lse[row] = m + __logf(s);
}

template <typename scalar_t>
__global__ void pad_rows_kernel(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                                torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> y) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c < y.size(1)) y[r][c] = c < x.size(1) ? x[r][c] : static_cast<scalar_t>(0);
}

}  // namespace
}  // namespace seqops

std::vector<at::Tensor> seg_softmax_forward(at::Tensor x, double scale) {
  CHECK_DIM(x, 2);
  auto y = at::empty_like(x);
  auto lse = at::empty({x.size(0)}, x.options().dtype(at::kFloat));
  const int rows = x.size(0), cols = x.size(1);
  const dim3 block(32, 4);
  const dim3 grid(DIVUP(rows, 4));
  auto stream = at::cuda::getCurrentCUDAStream().stream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "seg_softmax", [&] {
    seqops::seg_softmax_kernel<scalar_t><<<grid, block, 0, stream>>>(y.data_ptr<scalar_t>(), lse.data_ptr<float>(), x.data_ptr<scalar_t>(), rows, cols, (float)scale);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return {y, lse};
}

at::Tensor pad_rows(at::Tensor x, int64_t width) {
  auto y = at::empty({x.size(0), width}, x.options());
  AT_DISPATCH_ALL_TYPES(x.scalar_type(), "pad_rows", [&] {
    seqops::pad_rows_kernel<scalar_t><<<dim3(DIVUP(width, 128), x.size(0)), 128>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), y.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
  });
  return y;
}
