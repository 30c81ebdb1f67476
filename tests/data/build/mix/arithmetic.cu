#include <cstdio>
__global__ void divide(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    o[i] = a[i] / a[i + n];
}
__global__ void chain(const float* a, float* o, float y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int k = 0; k < 256; k++)
    x = x * 1.0001f + y;
  o[i] = x;
}
__global__ void chain_double(const float* a, float* o, float y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int k = 0; k < 256; k++)
    x = x * 1.0001 + y;
  o[i] = x;
}
__global__ void chain_n(const float* a, float* o, float y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int k = 0; k < n; k++)
    x = x * 1.0001f + y;
  o[i] = x;
}
int main() {
  int n = 65536; float *a, *o; cudaMalloc(&a, 8 * n); cudaMalloc(&o, 4 * n); cudaMemset(a, 0, 8 * n);
  divide<<<n / 256, 256>>>(a, o, n); chain<<<n / 256, 256>>>(a, o, 1.f); chain_double<<<n / 256, 256>>>(a, o, 1.f); chain_n<<<n / 256, 256>>>(a, o, 1.f, 203);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
