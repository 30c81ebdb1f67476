// Correct: a tile of a type with constructors must not look as if every thread built it.
#include <cstdio>
#include <cuda_fp16.h>
__global__ void half_tile(const float* a, float* o) {
  __shared__ __half tile[8][8], last;
  int t = threadIdx.x;
  tile[t / 8][t % 8] = __float2half(a[t]);
  if (t == 63) last = __float2half(a[t]);
  __syncthreads();
  o[t] = __half2float(tile[t % 8][t / 8]) + __half2float(last);
}
int main() {
  float *a, *o;
  cudaMalloc(&a, 256);
  cudaMalloc(&o, 256);
  cudaMemset(a, 0, 256);
  half_tile<<<1, 64>>>(a, o);
  return cudaDeviceSynchronize() != cudaSuccess;
}
