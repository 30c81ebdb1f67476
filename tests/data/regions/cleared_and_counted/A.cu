#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void count_serial(const unsigned char *p, int *h, int n) {  // a thread per bin
  int bin = blockIdx.x * blockDim.x + threadIdx.x, c = 0;
  for (int i = 0; i < n; i++) c += p[i] == bin;
  h[bin] = c;
}
int main() {
  int n = 60000;
  std::vector<unsigned char> p(n);
  for (int i = 0; i < n; i++) p[i] = (i * i) % 251;
  unsigned char *dp; int *dh, h[256];
  cudaMalloc(&dp, n); cudaMalloc(&dh, sizeof h);
  cudaMemcpy(dp, p.data(), n, cudaMemcpyHostToDevice);
  count_serial<<<4, 64>>>(dp, dh, n);
  cudaMemcpy(h, dh, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h[0], h[250]);
}
