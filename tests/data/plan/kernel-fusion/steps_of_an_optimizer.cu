// kernel=decayWeights line=9 finding=KO118
#include <cuda_runtime.h>

#define CHECK(x) if ((x) != cudaSuccess) return

template <typename T>
__global__ void decayWeights(const T *w, T *g, T lambda, size_t count) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < count) g[i] = g[i] + lambda * w[i];
}

__global__ void momentumStep(float *v, const float *g, float mu, size_t n) {
  const size_t t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t < n) {
    float old = v[t];
    v[t] = mu * old + g[t];
  }
}

__global__ void applyStep(float *w, const float *v, float lr, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) {
    float old = w[i];
    w[i] = old - lr * v[i];
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
    decayWeights<float><<<grid, block, 0, stream>>>(w, g, 1e-4f, n);
    CHECK(cudaGetLastError());
    momentumStep<<<grid, block, 0, stream>>>(v, g, 0.9f, n);
    // the new weights
    applyStep<<<grid, block, 0, stream>>>(w, v, 0.01f, n);
  }
}
