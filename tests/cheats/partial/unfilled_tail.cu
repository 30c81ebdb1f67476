// Wrong: adds shared memory that nobody wrote where the last block is not full.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 128;

__global__ void partial(float *sums, const float *in, int n) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK + t;
  if (i < n) tile[t] = in[i];
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = tile[0];
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
