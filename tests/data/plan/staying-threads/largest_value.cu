// kernel=largest line=13 finding=KO115 technique=block-shuffles
#include <math.h>
template <int B>
__global__ void largest(const float* v, float* out, size_t len)
{
  __shared__ float m[B];
  const size_t at = (size_t)blockIdx.x * B + threadIdx.x;
  if (at >= len) return;
  float mine = v[at];
  m[threadIdx.x] = mine;
  __syncthreads();
  // the larger one of each pair stays
  for (unsigned k = B / 2; k >= 1; k >>= 1) {
    if (threadIdx.x < k)
      m[threadIdx.x] = mine = fmaxf(mine, m[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = mine;
}

void run(const float* v, float* out, size_t len, int blocks)
{
  largest<64><<<blocks, 64>>>(v, out, len);
}
