// kernel=decayWeights line=9 finding=KO118
#include <cuda_runtime.h>

#define CHECK(x) if ((x) != cudaSuccess) return

__global__ void decayWeightsToApplyStep(float *w, float *g, float lambda, size_t count, float *v, float mu, float lr) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < count) {
    g[i] = g[i] + lambda * w[i];
    float old = v[i];
    v[i] = mu * old + g[i];
    float applyStep_old = w[i];
    w[i] = applyStep_old - lr * v[i];
  }
}

void train(const float *start, size_t n, int steps, cudaStream_t stream) {
  float *w, *g, *v;
  cudaMalloc(&w, n * 4);
  cudaMalloc(&g, n * 4);
  cudaMalloc(&v, n * 4);
  const dim3 block(256), grid((n + 255) / 256);
  for (int step = 0; step < steps; step++) {
    cudaMemcpyAsync(g, start, n * 4, cudaMemcpyHostToDevice, stream);
    decayWeightsToApplyStep<<<grid, block, 0, stream>>>(w, g, 1e-4f, n, v, 0.9f, 0.01f);
    CHECK(cudaGetLastError());
  }
}
