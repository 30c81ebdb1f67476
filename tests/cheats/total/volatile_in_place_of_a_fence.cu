// Doubtful: volatile sums reach memory, but nothing makes them reach it before the ticket.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 128;
__device__ unsigned finished = 0;

__device__ float block_sum(float v, float *tile) {
  int t = threadIdx.x;
  tile[t] = v;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  float sum = tile[0];
  __syncthreads();
  return sum;
}

__global__ void total(float *out, volatile float *partial, const float *in, int n) {
  __shared__ float tile[BLOCK];
  __shared__ bool is_last;
  int t = threadIdx.x;
  float v = 0.0f;
  for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK) v += in[i] * in[i];
  float sum = block_sum(v, tile);
  if (t == 0) {
    partial[blockIdx.x] = sum;
    is_last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  float all = block_sum(t < gridDim.x ? partial[t] : 0.0f, tile);
  if (t == 0) {
    *out = all;
    finished = 0;
  }
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
