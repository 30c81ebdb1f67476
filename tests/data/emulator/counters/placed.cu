// Accesses whose counts do, or do not, depend on where the compiler places a variable.
#include <cuda_runtime.h>

__device__ unsigned char letters[5];
__device__ unsigned char bytes[4096];
__device__ float words[64];

__global__ void of_device(unsigned char* out) {
  int t = threadIdx.x;
  unsigned char dense = bytes[t];
  unsigned char same = bytes[7];
  unsigned char apart = bytes[32 * t];
  float four = words[t % 4];
  out[t] = dense + same + apart + (unsigned char)four + letters[0];
}

__global__ void of_shared(unsigned char* out) {
  __shared__ unsigned char odd[33 * 32];
  __shared__ unsigned char even[32 * 32];
  extern __shared__ unsigned char sized[];
  int t = threadIdx.x;
  for (int i = t; i < 32 * 32; i += 32) even[i] = (unsigned char)i;
  for (int i = t; i < 33 * 32; i += 32) odd[i] = sized[i] = (unsigned char)i;
  __syncthreads();
  unsigned char a = odd[33 * t];
  unsigned char b = even[32 * t];
  unsigned char c = sized[33 * t];
  out[t] = a + b + c;
}

int main() {
  unsigned char* out;
  cudaMalloc(&out, 32);
  of_device<<<1, 32>>>(out);
  of_shared<<<1, 32, 33 * 32>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
