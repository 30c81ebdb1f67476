#include <cstdio>
#include <vector>
#include <utility>
#include "stencil.cuh"

int main() {
  const int nx = 512, ny = 300, steps = 5;
  std::vector<double> h(nx * ny);
  for (int j = 0; j < ny; ++j) for (int i = 0; i < nx; ++i) h[j * nx + i] = (i == 200 && j % 50 == 7) ? 100.0 : 1.0;
  double *cur, *nxt;
  cudaMalloc(&cur, h.size() * sizeof(double));
  cudaMalloc(&nxt, h.size() * sizeof(double));
  cudaMemcpy(cur, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(nxt, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
  dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
  for (int s = 0; s < steps; ++s) {
    diffuse<<<grid, block>>>(cur, nxt, nx, ny, 0.2);
    cudaMemcpy(cur, nxt, h.size() * sizeof(double), cudaMemcpyDeviceToDevice);
    cool<<<grid, block>>>(cur, nx, ny, 0.99);
  }
  cudaMemcpy(h.data(), cur, h.size() * sizeof(double), cudaMemcpyDeviceToHost);
  double t = 0; for (double v : h) t += v;
  printf("heat %.9g\n", t);
}
