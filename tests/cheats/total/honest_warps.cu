// Honest: warps add by shuffles, every thread fences before the block's ticket is drawn.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 128;
__device__ unsigned finished = 0;

__device__ float block_sum(float v, float *tile) {
  int t = threadIdx.x;
  for (int lanes = 16; lanes > 0; lanes /= 2) v += __shfl_down_sync(0xffffffffu, v, lanes);
  if (t % 32 == 0) tile[t / 32] = v;
  __syncthreads();
  float sum = 0.0f;
  for (int w = 0; w < BLOCK / 32; w++) sum += tile[w];
  __syncthreads();
  return sum;
}

__global__ void total(float *out, float *partial, const float *in, int n) {
  __shared__ float tile[BLOCK];
  __shared__ bool is_last;
  int t = threadIdx.x;
  float v = 0.0f;
  for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK) v += in[i] * in[i];
  float sum = block_sum(v, tile);
  if (t == 0) partial[blockIdx.x] = sum;
  __threadfence();
  __syncthreads();
  if (t == 0) is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  float all = block_sum(t < gridDim.x ? partial[t] : 0.0f, tile);
  if (t == 0) *out = all;
}

int main() {
  const int n = 3000, blocks = 7;
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = (i * 53 % 97) * 0.125f - 5.0f;
  float *in, *partial, *out, result = 0.0f;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&partial, blocks * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(partial, 0, blocks * sizeof(float));
  for (int round = 0; round < 2; round++) {
    total<<<blocks, BLOCK>>>(out, partial, in, n);
    cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%.2f\n", result);
  }
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
}
