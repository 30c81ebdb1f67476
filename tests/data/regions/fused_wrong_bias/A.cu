#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void scale(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
__global__ void add_bias(float *y, const float *bias, int n, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += bias[i % c];
}
__global__ void relu(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] > 0.f ? y[i] : 0.f;
}

int main() {
  const int n = 1 << 20, c = 96;
  std::vector<float> x(n), bias(c), y(n);
  for (int i = 0; i < n; i++) x[i] = (i * 131 % 997) / 500.0f - 1.0f;
  for (int i = 0; i < c; i++) bias[i] = 0.01f * i - 0.4f;
  float *dx, *db, *dy;
  cudaMalloc(&dx, n * 4); cudaMalloc(&db, c * 4); cudaMalloc(&dy, n * 4);
  cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, bias.data(), c * 4, cudaMemcpyHostToDevice);
  int blocks = (n + 255) / 256;
  scale<<<blocks, 256>>>(dy, dx, 1.7f, n);
  add_bias<<<blocks, 256>>>(dy, db, n, c);
  relu<<<blocks, 256>>>(dy, n);
  cudaMemcpy(y.data(), dy, n * 4, cudaMemcpyDeviceToHost);
  double s = 0; for (float v : y) s += v;
  printf("sum %f\n", s);
  return 0;
}
