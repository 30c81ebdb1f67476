#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#include "filter.h"

int main() {
  int n = 150000;
  std::vector<float> v(n);
  for (int i = 0; i < n; i++) v[i] = (i * 2654435761u >> 16) % 100;
  float *d;
  cudaMalloc((void **)&d, n * sizeof(float));
  filter_open(n);
  cudaMemcpy(d, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int pass = 0; pass < 4; pass++) filter_run(d);
  cudaMemcpy(v.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (float x : v) s += x;
  printf("%.1f\n", s);
}
