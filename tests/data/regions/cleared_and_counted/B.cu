#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void clear(int *h) { h[threadIdx.x] = 0; }
__global__ void count_atomic(const unsigned char *p, int *h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[p[i]], 1);
}
int main() {
  int n = 60000;
  std::vector<unsigned char> p(n);
  for (int i = 0; i < n; i++) p[i] = (i * i) % 251;
  unsigned char *dp; int *dh, h[256];
  cudaMalloc(&dp, n); cudaMalloc(&dh, sizeof h);
  cudaMemcpy(dp, p.data(), n, cudaMemcpyHostToDevice);
  clear<<<1, 256>>>(dh);
  cudaDeviceSynchronize();
  count_atomic<<<(n + 255) / 256, 256>>>(dp, dh, n);
  cudaMemcpy(h, dh, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h[0], h[250]);
}
