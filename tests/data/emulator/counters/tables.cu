// Constant tables in device memory are read by loads of global memory.
#include <cstdio>
__device__ const int numbers[64] = {1, 2, 3};
__device__ static const char* const words[] = {"a", "b"};
namespace inner { const __device__ double rows[32][4] = {{1, 2}}; }
__device__ const int N = 2;
__global__ void read_tables(int* out) {
  int own[N] = {1, 2};
  out[threadIdx.x] = numbers[threadIdx.x] + own[N - 1];
  out[threadIdx.x + 32] = *words[threadIdx.x % N];
  out[threadIdx.x + 64] = (int)inner::rows[threadIdx.x][1];
}
int main() {
  int *device, host[96];
  cudaMalloc(&device, sizeof host); read_tables<<<1, 32>>>(device); cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  return host[0] == 3 && host[33] == 'b' && host[64] == 2 ? 0 : 1;
}
