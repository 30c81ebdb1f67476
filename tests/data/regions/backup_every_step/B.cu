#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Field { float *u, *v, *old; int n; };

__global__ void leap(float *u, float *v, int n, float dt) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i > 0 && i < n - 1) v[i] += dt * (u[i - 1] - 2.f * u[i] + u[i + 1]);
}
__global__ void drift(float *u, const float *v, int n, float dt) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) u[i] += dt * v[i];
}

static void step(Field &f, float dt) {
  int g = (f.n + 255) / 256;
  cudaMemcpyAsync(f.old, f.u, f.n * sizeof(float), cudaMemcpyDeviceToDevice);  // keep the last state, for rollback
  leap<<<g, 256>>>(f.u, f.v, f.n, dt);
  drift<<<g, 256>>>(f.u, f.v, f.n, dt);
}

int main() {
  Field f; f.n = 200000;
  std::vector<float> h(f.n);
  for (int i = 0; i < f.n; ++i) h[i] = (i % 400 < 200) ? 1.f : 0.f;
  cudaMalloc(&f.u, f.n * 4); cudaMalloc(&f.v, f.n * 4); cudaMalloc(&f.old, f.n * 4);
  cudaMemcpy(f.u, h.data(), f.n * 4, cudaMemcpyHostToDevice);
  cudaMemset(f.v, 0, f.n * 4);
  for (int s = 0; s < 6; ++s) step(f, 0.1f);
  cudaMemcpy(h.data(), f.u, f.n * 4, cudaMemcpyDeviceToHost);
  double e = 0; for (float x : h) e += x;
  printf("mass %.3f\n", e);
}
