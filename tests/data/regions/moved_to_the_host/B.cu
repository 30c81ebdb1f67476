#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void spread(const int *t, const int *w, int *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = t[i] * 3 + w[i];
}
int main() {
  int n = 20000;
  std::vector<int> w(n), o(n);
  for (int i = 0; i < n; i++) w[i] = (i * 17) % 23;
  int *dw, *dt, *dn;
  cudaMalloc(&dw, n * 4); cudaMalloc(&dt, n * 4); cudaMalloc(&dn, n * 4);
  cudaMemcpy(dw, w.data(), n * 4, cudaMemcpyHostToDevice);
  std::vector<int> t(n);
  for (int i = 0, s = 0; i < n; i++) { t[i] = s; s += w[i]; }
  cudaMemcpy(dt, t.data(), n * 4, cudaMemcpyHostToDevice);
  spread<<<(n + 255) / 256, 256>>>(dt, dw, dn, n);
  cudaMemcpy(o.data(), dn, n * 4, cudaMemcpyDeviceToHost);
  printf("%d\n", o[n - 1]);
}
