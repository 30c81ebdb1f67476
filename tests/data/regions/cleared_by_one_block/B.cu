#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void zero(float* g, int cells) {
  for (int i = threadIdx.x; i < cells; i += blockDim.x) g[i] = 0;
}
__global__ void splat(const int* cell, const float* mass, float* grid, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) atomicAdd(grid + cell[i], mass[i]);
}

int main() {
  int n = 50000, cells = 262144;
  int* hc = (int*)malloc(n * 4); float* hm = (float*)malloc(n * 4); float* hg = (float*)malloc(cells * 4);
  for (int i = 0; i < n; i++) { hc[i] = (i * 37) % cells; hm[i] = 1 + i % 3; }
  int* c; float *m, *g;
  cudaMalloc(&c, n * 4); cudaMalloc(&m, n * 4); cudaMalloc(&g, cells * 4);
  cudaMemcpy(c, hc, n * 4, cudaMemcpyHostToDevice); cudaMemcpy(m, hm, n * 4, cudaMemcpyHostToDevice);
  for (int t = 0; t < 5; t++) {
    zero<<<1, 256>>>(g, cells);
    splat<<<(n + 255) / 256, 256>>>(c, m, g, n);
  }
  cudaMemcpy(hg, g, cells * 4, cudaMemcpyDeviceToHost);
  float s = 0; for (int i = 0; i < cells; i += 37) s += hg[i];
  printf("%f\n", s);
}
