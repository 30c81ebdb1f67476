// a handful of elementwise layers
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
__device__ __forceinline__ float gelu1(float v) { return 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v))); }

__global__ void gelu_kernel(const float *x, float *y, int n) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx >= n) return;
  y[idx] = gelu1(x[idx]);
}
__global__ void add_residual(float *y, const float *r, float scale, int n) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < n) {
    float v = y[idx];
    v += scale * r[idx];
    y[idx] = v;
  }
}
__global__ void clip_grad(double *g, double lim, long n) {
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)blockDim.x * gridDim.x) {
    if (g[i] > lim) g[i] = lim;
    else if (g[i] < -lim) g[i] = -lim;
  }
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 50003;
  float *x, *y; double *g;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  cudaMallocManaged(&g, n * sizeof(double));
  for (int i = 0; i < n; i++) { x[i] = (i % 201 - 100) * 0.03f; g[i] = x[i] * 3.0; }
  int tpb = 256, nb = (n + tpb - 1) / tpb;
  gelu_kernel<<<nb, tpb>>>(x, y, n);
  add_residual<<<nb, tpb>>>(y, x, 0.5f, n);
  clip_grad<<<32, tpb>>>(g, 4.5, n);
  cudaDeviceSynchronize();
  double s = 0, t = 0;
  for (int i = 0; i < n; i++) { s += y[i]; t += g[i]; }
  printf("%.4f %.4f\n", s, t);
  cudaFree(x); cudaFree(y); cudaFree(g);
  return 0;
}
