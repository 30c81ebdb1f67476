// kernel=product line=10 finding=KO108
#include <stdio.h>

constexpr unsigned kTile = 8;

extern "C" __global__ void product(float* out, const float* lhs, const float* rhs, unsigned n)
{
  unsigned col = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  float acc = 0;
  for (unsigned k = 0; k < n; ++k) acc += lhs[row * n + k] * rhs[k * n + col];
  out[row * n + col] = acc;
}

int main()
{
  const unsigned n = 24;
  float *lhs, *rhs, *out;
  cudaMallocManaged(&lhs, n * n * sizeof(float));
  cudaMallocManaged(&rhs, n * n * sizeof(float));
  cudaMallocManaged(&out, n * n * sizeof(float));
  for (unsigned i = 0; i < n * n; i++) { lhs[i] = i / n; rhs[i] = 1; }
  for (int pass = 0; pass < 2; pass++)
    product<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(out, lhs, rhs, n);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < n * n; i++)
    if (out[i] != n * (i / n)) { printf("FAIL\n"); return 1; }
  printf("PASS\n");
  return 0;
}
