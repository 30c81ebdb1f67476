#include "block_reduce.h"
#include <ATen/ATen.h>
#include <ATen/AccumulateType.h>
#include <c10/util/Half.h>

__global__ void masked_add_half2_kernel(half2* x, const half2* r, const unsigned char* mask, int n2)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += gridDim.x * blockDim.x) {
    float2 a = __half22float2(x[i]), b = __half22float2(r[i]);
    if (mask[2 * i]) a.x += b.x;
    if (mask[2 * i + 1]) a.y += b.y;
    x[i] = __float22half2_rn(a);
  }
}

C10_LAUNCH_BOUNDS_1(256) __global__ void masked_add_kernel(float* x, const float* r, const unsigned char* mask, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (mask[i]) x[i] += r[i];
}

at::Tensor masked_add(at::Tensor x, at::Tensor r, at::Tensor mask) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.numel() % 2 == 0);
  const int n = x.numel();
  if (x.scalar_type() == at::kHalf)
    masked_add_half2_kernel<<<DIVUP(n / 2, 256), 256>>>(reinterpret_cast<half2*>(x.data_ptr<at::Half>()), reinterpret_cast<const half2*>(r.data_ptr<at::Half>()), (const unsigned char*)mask.data_ptr<bool>(), n / 2);
  else
    masked_add_kernel<<<DIVUP(n, 256), 256>>>(x.data_ptr<float>(), r.data_ptr<float>(), (const unsigned char*)mask.data_ptr<bool>(), n);
  return x;
}
