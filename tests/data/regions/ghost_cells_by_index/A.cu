#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// 1D advection, periodic, one ghost cell each side
__global__ void advect(const float* q, float* r, int n, float c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i <= n) r[i] = q[i] - 0.5f * c * (q[i + 1] - q[i - 1]) + 0.5f * c * c * (q[i + 1] - 2 * q[i] + q[i - 1]);
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
    cudaMemcpy(q, q + n, sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(q + n + 1, q + 1, sizeof(float), cudaMemcpyDeviceToDevice);
    advect<<<n / 256, 256>>>(q, r, n, 0.4f);
    float* t = q; q = r; r = t;
  }
  cudaMemcpy(&h[1], q + 1, n * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 1; i <= n; i++) s += h[i] * (i % 13);
  printf("%.4f\n", s);
  return 0;
}
