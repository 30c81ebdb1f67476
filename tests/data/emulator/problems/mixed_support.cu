// Kernels and calls that the emulator does not run, among those that it does.
#include <cstdio>
#include <cublas_v2.h>
#include <curand_kernel.h>
#include <thrust/sort.h>

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
__global__ void random(curandState* states, float* x) {
  curand_init(7, threadIdx.x, 0, &states[threadIdx.x]);
  x[threadIdx.x] = curand_uniform(&states[threadIdx.x]);
}
__device__ unsigned lane_by_ptx() {
  unsigned lane;
  asm("{ .reg .u32 r; mov.u32 r, %%laneid; add.u32 %0, r, r; }" : "=r"(lane));
  return lane;
}
__global__ void by_ptx(float* x) { x[threadIdx.x] = lane_by_ptx(); }
__global__ void parent(float* x) { twice<<<1, 32>>>(x); }

void sorted(float* x) { thrust::sort(thrust::device, x, x + 32); }

int main(int count, char**) {
  float *x, first;
  curandState* states;
  cudaMalloc(&x, 128);
  cudaMalloc(&states, 32 * sizeof(curandState));
  cudaMemset(x, 0, 128);
  twice<<<1, 32>>>(x);
  random<<<1, 32>>>(states, x);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  by_ptx<<<1, 32>>>(x);
  parent<<<1, 32>>>(x);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;
  twice<<<1, 32>>>(x);
  cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
  printf("%g\n", first);
  if (count > 1) sorted(x);
  cublasSscal(handle, 32, &first, x, 1);
}
