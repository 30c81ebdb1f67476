// Doubtful: each block waits for the one before it, which has to have started.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 64;

__device__ int scan(int v, int *tile) {
  int t = threadIdx.x;
  tile[t] = v;
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    int below = t >= step ? tile[t - step] : 0;
    __syncthreads();
    tile[t] += below;
    __syncthreads();
  }
  return tile[t];
}

__global__ void running(int *out, const int *in, int *sums, int *done, unsigned *count) {
  __shared__ int tile[BLOCK];
  __shared__ int carry;
  int t = threadIdx.x, b = blockIdx.x;
  int mine = scan(in[b * BLOCK + t], tile);
  if (t == BLOCK - 1) {
    carry = 0;
    if (b > 0) {
      while (*(volatile int *)&done[b - 1] == 0) {}
      __threadfence();
      carry = out[b * BLOCK - 1];
    }
    out[b * BLOCK + t] = carry + mine;
    sums[b] = mine;
    __threadfence();
    *(volatile int *)&done[b] = 1;
    atomicAdd(count, 1u);
  }
  __syncthreads();
  if (t < BLOCK - 1) out[b * BLOCK + t] = carry + mine;
}

int main() {
  const int blocks = 9, n = blocks * BLOCK;
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = i * 29 % 83 - 20;
  int *in, *out, *sums, *done;
  unsigned *count;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMalloc(&done, blocks * sizeof(int));
  cudaMalloc(&count, sizeof(unsigned));
  cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, n * sizeof(int));
  cudaMemset(sums, 0, blocks * sizeof(int));
  cudaMemset(done, 0, blocks * sizeof(int));
  cudaMemset(count, 0, sizeof(unsigned));
  running<<<blocks, BLOCK>>>(out, in, sums, done, count);
  cudaMemcpy(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i += 37) std::printf("%d ", host[i]);
  cudaFree(in);
  cudaFree(out);
  cudaFree(sums);
  cudaFree(done);
  cudaFree(count);
}
