// kernel=largest line=13 finding=KO115 technique=block-shuffles
#include <math.h>
template <int B>
__global__ void largest(const float* v, float* out, size_t len)
{
  __shared__ float m[B / 32];
  const size_t at = (size_t)blockIdx.x * B + threadIdx.x;
  float mine = at < len ? v[at] : -INFINITY;
  for (int offset = 16; offset > 0; offset /= 2)
    mine = fmaxf(mine, __shfl_down_sync(0xffffffff, mine, offset));
  if (threadIdx.x % 32 == 0)
    m[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0 && at < len) {
    for (int warp = 1; warp < B / 32; warp++)
      mine = fmaxf(mine, m[warp]);
    out[blockIdx.x] = mine;
  }
}

void run(const float* v, float* out, size_t len, int blocks)
{
  largest<64><<<blocks, 64>>>(v, out, len);
}
