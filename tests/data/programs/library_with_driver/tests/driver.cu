#include "../kernels/ops.h"
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

int main() {
  const int n = 500;
  std::vector<float> x(n, 2.f), y(n, 3.f);
  float *dx, *dy;
  cudaMalloc(&dx, n * 4);
  cudaMalloc(&dy, n * 4);
  cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice);
  ops::saxpy(n, 2.f, dx, dy);            // y = 7
  float d = ops::dot(n, dx, dy);         // 14 * n
  std::printf("dot = %g (want %g)\n", d, 14.0 * n);
  cudaFree(dx);
  cudaFree(dy);
  return d == 14.f * n ? 0 : 1;
}
