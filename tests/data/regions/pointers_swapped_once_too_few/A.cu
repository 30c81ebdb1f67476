#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int N = 512;
__global__ void relax(const float *u, float *v) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x > 0 && y > 0 && x < N - 1 && y < N - 1)
    v[y * N + x] = 0.25f * (u[y * N + x - 1] + u[y * N + x + 1] + u[(y - 1) * N + x] + u[(y + 1) * N + x]);
  else v[y * N + x] = u[y * N + x];
}
__global__ void copy_back(float *u, const float *v) {
  int i = blockIdx.x * 256 + threadIdx.x;
  u[i] = v[i];
}
static void step(float *u, float *v) {
  relax<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(u, v);
  copy_back<<<N * N / 256, 256>>>(u, v);
}
int main() {
  std::vector<float> h(N * N, 0.f);
  for (int i = 0; i < N; i++) h[i] = 100.f, h[i * N] = i * 0.1f;
  float *u, *v;
  cudaMalloc(&u, N * N * 4); cudaMalloc(&v, N * N * 4);
  cudaMemcpy(u, h.data(), N * N * 4, cudaMemcpyHostToDevice);
  for (int it = 0; it < 12; it++) step(u, v);
  cudaMemcpy(h.data(), u, N * N * 4, cudaMemcpyDeviceToHost);
  printf("%.5f\n", h[N * 3 + 3]);
}
