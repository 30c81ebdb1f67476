// Sums of blocks by a tree in shared memory, with a division at each step.
#include <cstdio>
#include <vector>

__global__ void sum(int *out, const int *in) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t % (2 * step) == 0) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
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
