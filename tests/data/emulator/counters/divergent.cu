#include <cuda_runtime.h>
__global__ void walk(const int* n, float* out, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = n[i] * 0.5f;
  float b = a * 3.0f + 1.0f;
  float c = b * b;
  if (n[i] % 3 == 0 && c > 2.0f)
    c = c * 2.0f - a;
  else if (n[i] % 5 == 0 || c > 10.0f)
    c = c - b;
  for (int k = 0; k < n[i] % 17; ++k) {
    c += a;
    if (k % 3 == i % 3) c *= 0.5f; else if (k % 5 == i % 5) out[i] = c;
  }
  float s = 0;
  for (int j = 0; j < n[i] % 7; ++j) for (int k = 0; k < (i + j) % 4; ++k) { s += n[(i + k) % m] > 3 ? 1.0f : 2.0f; }
  out[i] = c + s;
}
int main() {
  int m = 4096; int* n; float* o; int h[4096]; unsigned s = 1; for (int i = 0; i < m; ++i) { s = s * 1664525u + 1013904223u; h[i] = s >> 20; }
  cudaMalloc(&n, m * 4); cudaMalloc(&o, m * 4); cudaMemcpy(n, h, m * 4, cudaMemcpyHostToDevice); cudaMemset(o, 0, m*4);
  walk<<<32, 128>>>(n, o, m);
  return cudaDeviceSynchronize() != cudaSuccess;
}
