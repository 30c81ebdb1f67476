#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void blur3(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float l = i ? in[i - 1] : in[i], r = i < n - 1 ? in[i + 1] : in[i];
  out[i] = (l + 2 * in[i] + r) * 0.25f;
}
int main() {
  int n = 600000;
  std::vector<float> h(n);
  for (int i = 0; i < n; i++) h[i] = i % 37;
  float *a, *b;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
  cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
  blur3<<<(n + 127) / 128, 128>>>(a, b, n);
  cudaMemcpy(a, b, n * 4, cudaMemcpyDeviceToDevice);
  blur3<<<(n + 127) / 128, 128>>>(a, b, n);
  cudaMemcpy(h.data(), b, n * 4, cudaMemcpyDeviceToHost);
  printf("%f\n", h[n / 2]);
}
