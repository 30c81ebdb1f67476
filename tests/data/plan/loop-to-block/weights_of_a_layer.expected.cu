// kernel=dense line=13 finding=KO122
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

template <int IN, int OUT>
__global__ void dense(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ y, int batch) {
  __shared__ float sw[IN * OUT];
  __shared__ float sb[OUT];
  const int t = threadIdx.x;
  if (batch == 0) return;
  for (int i = t; i < OUT * IN; i += blockDim.x) sw[i] = w[i];
  for (int i = t; i < OUT; i += blockDim.x) sb[i] = b[i];
  __syncthreads();
  const int row = blockIdx.x * blockDim.x + t;
  if (row < batch) {
    for (int i = 0; i < OUT; ++i) {
      float v = sb[i];
      for (int j = 0; j < IN; ++j) v += sw[i * IN + j] * x[row * IN + j];
      y[row * OUT + i] = v > 0 ? v : 0;
    }
  }
}

int main(int argc, char** argv) {
  const int batch = argc > 1 ? atoi(argv[1]) : 4000;
  float *x, *w, *b, *y;
  cudaMallocManaged(&x, batch * 24 * sizeof(float));
  cudaMallocManaged(&w, 24 * 10 * sizeof(float));
  cudaMallocManaged(&b, 10 * sizeof(float));
  cudaMallocManaged(&y, batch * 10 * sizeof(float));
  for (int i = 0; i < batch * 24; ++i) x[i] = (i % 29) * 0.1f - 1;
  for (int i = 0; i < 240; ++i) w[i] = (i % 13) * 0.05f - 0.3f;
  for (int i = 0; i < 10; ++i) b[i] = i * 0.1f;
  dense<24, 10><<<(batch + 255) / 256, 256>>>(x, w, b, y, batch);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < batch * 10; ++i) sum += y[i];
  printf("%.4f\n", sum);
  return 0;
}
