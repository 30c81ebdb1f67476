// The original: a step of smoothing for any size and any weight, and two kernels that pass a value on in memory.
#include <cstdio>
#include <vector>

__global__ void smooth(float *out, const float *in, int n, float w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float left = i > 0 ? in[i - 1] : in[i];
  float right = i < n - 1 ? in[i + 1] : in[i];
  out[i] = in[i] + w * (left - 2.0f * in[i] + right);
}

__global__ void scale(float *t, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = a * x[i];
}

__global__ void add_root(float *y, const float *t, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = t[i] + sqrtf(fabsf(x[i]));
}

int main() {
  const int n = 5003, blocks = (n + 255) / 256;
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = i * 7919L % 1009 * 0.01f - 2.0f;
  float *a, *b, *t;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&t, n * sizeof(float));
  cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  smooth<<<blocks, 256>>>(b, a, n, 0.2f);
  scale<<<blocks, 256>>>(t, b, 0.75f, n);
  add_root<<<blocks, 256>>>(a, t, b, n);
  cudaMemcpy(host.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += host[i] * (i % 7 + 1.0);
  std::printf("sum %.3f\n", sum);
}
