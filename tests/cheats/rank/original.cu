// The original: where each key goes in sorted order; no key of the program occurs twice.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 64;

__global__ void rank(int *place, const int *keys, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  int before = 0;
  for (int j = 0; j < n; j++) before += keys[j] < keys[i] || (keys[j] == keys[i] && j < i);
  place[i] = before;
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
