// Right: keys are compared tile by tile out of shared memory.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 64;

__global__ void rank(int *place, const int *keys, int n) {
  __shared__ int tile[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int mine = i < n ? keys[i] : 0;
  int before = 0;
  for (int first = 0; first < n; first += BLOCK) {
    if (first + (int)threadIdx.x < n) tile[threadIdx.x] = keys[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(BLOCK, n - first); k++) before += tile[k] < mine || (tile[k] == mine && first + k < i);
    __syncthreads();
  }
  if (i < n) place[i] = before;
}

int main() {
  const int n = 200;
  std::vector<int> host(n), result(n);
  for (int i = 0; i < n; i++) host[i] = i * 77 % 211 + 1;
  int *keys, *place;
  cudaMalloc(&keys, n * sizeof(int));
  cudaMalloc(&place, n * sizeof(int));
  cudaMemcpy(keys, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  rank<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(place, keys, n);
  cudaMemcpy(result.data(), place, n * sizeof(int), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < n; i++) sum += (long)result[i] * i;
  std::printf("%ld\n", sum);
  cudaFree(keys);
  cudaFree(place);
}
