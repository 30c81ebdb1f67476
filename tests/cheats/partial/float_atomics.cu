// Doubtful: the order of the additions, and so the last bits, changes from run to run.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 128;

__global__ void partial(float *sums, const float *in, int n) {
  __shared__ float total;
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();
  if (i < n) atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

int main() {
  const int n = 1024;
  std::vector<float> host(n), result(n / BLOCK);
  for (int i = 0; i < n; i++) host[i] = (i * 53 % 97) * 0.25f - 7.0f;
  float *in, *sums;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sums, n / BLOCK * sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int round = 0; round < 2; round++) {
    cudaMemset(sums, 0, n / BLOCK * sizeof(float));
    partial<<<n / BLOCK, BLOCK>>>(sums, in, n);
    cudaMemcpy(result.data(), sums, n / BLOCK * sizeof(float), cudaMemcpyDeviceToHost);
    for (float sum : result) std::printf("%.3f ", sum);
  }
  cudaFree(in);
  cudaFree(sums);
}
