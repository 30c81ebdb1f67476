#include <iostream>
#include <vector>
#include <cuda_runtime.h>

template <typename T> __global__ void axpy(T a, const T* x, T* y, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  size_t n = 700001;
  std::vector<float> x(n), y(n), out(n);
  for (size_t i = 0; i < n; ++i) { x[i] = i % 11; y[i] = i % 5; }
  float *dx, *dy;
  cudaMalloc(&dx, n * sizeof(float)); cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  axpy<float><<<(n + 511) / 512, 512>>>(2.5f, dx, dy, n);
  cudaMemcpy(out.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::cout << out[3] << " " << out[n - 1] << "\n";
}
