// Right: warps add by shuffles, in another order.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 128;
constexpr unsigned EVERYONE = 0xffffffffu;

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(EVERYONE, v, offset);
  return v;
}

__global__ void partial(float *sums, const float *in, int n) {
  __shared__ float of_warp[BLOCK / 32];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  float v = warp_sum(i < n ? in[i] : 0.0f);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) sums[blockIdx.x] = v;
  }
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
