// Each block adds up one piece instead of a strided share: other shares, and the same total.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void sum_shares(const float *values, float *shares, int count) {
  __shared__ float sums[kThreads];
  float sum = 0.0f;
  const int each = (count + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * each, end = min(count, begin + each);
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) sum += values[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) shares[blockIdx.x] = sums[0];
}

__global__ void sum_of_shares(const float *shares, float *total, int count) {
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += shares[i];
  *total = sum;
}

int main() {
  const int count = 20011, blocks = 20;
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) values[i] = 0.5f + 0.001f * (i * 7 % 1013);
  float *device_values, *shares, *device_total, total = 0.0f;
  cudaMalloc(&device_values, count * sizeof(float));
  cudaMalloc(&shares, blocks * sizeof(float));
  cudaMalloc(&device_total, sizeof(float));
  cudaMemcpy(device_values, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  sum_shares<<<blocks, kThreads>>>(device_values, shares, count);
  sum_of_shares<<<1, 1>>>(shares, device_total, blocks);
  cudaMemcpy(&total, device_total, sizeof(float), cudaMemcpyDeviceToHost);
  printf("total %.2f\n", total);
  return 0;
}
