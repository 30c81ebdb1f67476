#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// 1D advection, periodic, neighbours wrapped
__global__ void advect(const float* q, float* r, int n, float c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i > n) return;
  float a = q[i == 1 ? n : i - 1], b = q[i == n ? 1 : i + 1], m = q[i];
  r[i] = m - 0.5f * c * (b - a) + 0.5f * c * c * (b - 2 * m + a);
}

int main() {
  const int n = 1 << 17;
  std::vector<float> h(n + 2, 0.f);
  for (int i = 1; i <= n; i++) h[i] = (float)((i >> 9) & 1);
  float *q, *r;
  cudaMalloc((void**)&q, (n + 2) * sizeof(float));
  cudaMalloc((void**)&r, (n + 2) * sizeof(float));
  cudaMemcpy(q, &h[0], (n + 2) * sizeof(float), cudaMemcpyHostToDevice);
  for (int s = 0; s < 10; s++) {
    advect<<<n / 256, 256>>>(q, r, n, 0.4f);
    float* t = q; q = r; r = t;
  }
  cudaMemcpy(&h[1], q + 1, n * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 1; i <= n; i++) s += h[i] * (i % 13);
  printf("%.4f\n", s);
  return 0;
}
