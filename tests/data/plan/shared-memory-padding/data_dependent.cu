// kernel=count line=11 finding=KO103
#include <cstdio>
#include <vector>


__global__ void count(unsigned *bins, const unsigned char *data, int n) {
  __shared__ unsigned local[8][32];
  local[threadIdx.x / 32][threadIdx.x % 32] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] / 32][data[i] % 32], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x / 32][threadIdx.x % 32]);
}

int main() {
  const int n = 5000;
  std::vector<unsigned char> h(n);
  std::vector<unsigned> expected(256), r(256);
  for (int i = 0; i < n; i++) expected[h[i] = (i * 37) % 256]++;
  unsigned *bins;
  unsigned char *data;
  cudaMalloc(&bins, 1024);
  cudaMalloc(&data, n);
  cudaMemset(bins, 0, 1024);
  cudaMemcpy(data, h.data(), n, cudaMemcpyHostToDevice);
  count<<<3, 256>>>(bins, data, n);
  cudaMemcpy(r.data(), bins, 1024, cudaMemcpyDeviceToHost);
  printf("%s\n", r == expected ? "PASS" : "FAIL");
  return r != expected;
}
