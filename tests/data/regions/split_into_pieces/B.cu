#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void waxpby(float *w, const float *x, const float *y, float a, float b, int n, int off) {
  int i = off + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] = a * x[i] + b * y[i];
}
int main() {
  int n = 1 << 19;
  float *hx = (float*)malloc(n * 4), *x, *y, *w;
  for (int i = 0; i < n; i++) hx[i] = (i % 1013) * 0.25f;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); cudaMalloc(&w, n * 4);
  cudaMemcpy(x, hx, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(y, hx, n * 4, cudaMemcpyHostToDevice);
  for (int p = 0; p < 16; p++) waxpby<<<n / 16 / 256, 256>>>(w, x, y, 2.f, -0.5f, n, p * (n / 16));
  cudaMemcpy(hx, w, n * 4, cudaMemcpyDeviceToHost);
  printf("%g %g\n", hx[1], hx[n - 1]);
}
