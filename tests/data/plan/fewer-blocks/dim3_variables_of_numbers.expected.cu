// kernel=shots line=14 finding=KO110
#include <cstdio>
#include <cuda_runtime.h>

// quarter circle: which points of a lattice lie inside
__global__ void shots(unsigned int *inside, unsigned int side) {
  __shared__ unsigned int hits;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x) {
    const float x = (i % side + 0.5f) / side, y = (i / side + 0.5f) / side;
    if (x * x + y * y < 1.0f) atomicAdd(&hits, 1u);
  }
  __syncthreads(); if (threadIdx.x == 0) { atomicAdd(inside, hits); }
}

int main() {
  const unsigned int side = 128;
  unsigned int *inside, result = 0;
  cudaMalloc(&inside, sizeof(result));
  cudaMemset(inside, 0, sizeof(result));
  dim3 threads(1024, 1, 1);
  dim3 blocks(6, 1, 1);
  shots<<<blocks, threads, 0>>>(inside, side);
  cudaMemcpy(&result, inside, sizeof(result), cudaMemcpyDeviceToHost);
  printf("pi is about %.3f\n", 4.0 * result / (side * side));
  cudaFree(inside);
}
