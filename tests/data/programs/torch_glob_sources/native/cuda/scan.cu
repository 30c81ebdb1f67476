#include <torch/types.h>
#include "common.cuh"

// naive inclusive scan of each row, one warp per row
__global__ void scan_rows(const float* in, float* out, int cols) {
  float run = 0;
  for (int c0 = 0; c0 < cols; c0 += 32) {
    int c = c0 + threadIdx.x;
    float v = c < cols ? in[blockIdx.x * cols + c] : 0.f;
    for (int d = 1; d < 32; d *= 2) {
      float o = __shfl_up_sync(0xffffffff, v, d);
      if ((int)threadIdx.x >= d) v += o;
    }
    if (c < cols) out[blockIdx.x * cols + c] = run + v;
    run += __shfl_sync(0xffffffff, v, 31);
  }
}

torch::Tensor scan_cuda(const torch::Tensor& x) {
  auto y = torch::empty_like(x);
  scan_rows<<<x.size(0), 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
