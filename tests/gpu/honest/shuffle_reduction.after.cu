// The same by shuffles inside warps.
#include <cstdio>
#include <vector>

__global__ void sum(int *out, const int *in) {
  __shared__ int part[8];
  int t = threadIdx.x;
  int value = in[blockIdx.x * 256 + t];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  if (t % 32 == 0) part[t / 32] = value;
  __syncthreads();
  if (t < 32) {
    value = t < 8 ? part[t] : 0;
    for (int step = 4; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (t == 0) out[blockIdx.x] = value;
  }
}

int main() {
  const int n = 1 << 20, blocks = n / 256;
  std::vector<int> host(n), sums(blocks);
  for (int i = 0; i < n; i++) host[i] = i % 1013 - 500;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, blocks * sizeof(int));
  cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  sum<<<blocks, 256>>>(out, in);
  cudaMemcpy(sums.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", sums[0], sums[blocks - 1]);
  cudaFree(in);
  cudaFree(out);
}
