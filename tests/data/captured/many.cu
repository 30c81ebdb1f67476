// More launches than are kept, of a small and a large buffer. Arguments: count of the small ones, MiB of the large one.
#include <cstdio>
#include <cstdlib>

__global__ void add(int* x, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) x[i] += 1;
}

int main(int, char** given) {
  int count = atoi(given[1]), first = 0, *small, *large;
  size_t n = (size_t(atoi(given[2])) << 20) / sizeof(int);
  cudaMalloc(&small, 1024), cudaMalloc(&large, n * sizeof(int));
  cudaMemset(small, 0, 1024), cudaMemset(large, 0, n * sizeof(int));
  for (int i = 0; i < count; ++i) add<<<1, 256>>>(small, 256);
  add<<<64, 256>>>(large, n);
  cudaMemcpy(&first, small, sizeof first, cudaMemcpyDeviceToHost);
  printf("%d %s\n", first, cudaGetErrorString(cudaDeviceSynchronize()));
}
