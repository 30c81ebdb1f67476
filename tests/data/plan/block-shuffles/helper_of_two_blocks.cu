// kernel=peaks line=11 finding=KO115
#include <stdio.h>

__device__ int blockMax(int mine) {
  __shared__ int seen[256];
  const int tid = threadIdx.x;

  seen[tid] = mine;
  __syncthreads();
  // halve the block until one is left
  for (int s = blockDim.x / 2; s > 0; s = s / 2) {
    if (tid < s) {
      seen[tid] = max(seen[tid], seen[tid + s]);
    }
    __syncthreads();
  }
  return seen[0];
}

__global__ void peaks(const int *v, int *peak, int n) {
  int mine = -2147483647;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    mine = max(mine, v[i]);
  }
  const int all = blockMax(mine);
  if (threadIdx.x == 0) {
    peak[blockIdx.x] = all;
  }
}

__global__ void largest(const int *peak, int *result, int n) {
  const int mine = threadIdx.x < n ? peak[threadIdx.x] : -2147483647;
  const int all = blockMax(mine);
  if (threadIdx.x == 0) {
    *result = all;
  }
}

int main() {
  const int n = 20000, blocks = 16;
  int *v, *peak, *result;
  cudaMallocManaged(&v, n * sizeof(int));
  cudaMallocManaged(&peak, blocks * sizeof(int));
  cudaMallocManaged(&result, sizeof(int));
  for (int i = 0; i < n; i++) v[i] = (i * 7919) % 10007;
  peaks<<<blocks, 256>>>(v, peak, n);
  largest<<<1, 64>>>(peak, result, blocks);
  cudaDeviceSynchronize();
  printf("%d\n", *result);
  return 0;
}
