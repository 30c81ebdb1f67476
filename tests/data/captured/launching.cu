// A kernel that launches another on the device (built with -rdc=true -lcudadevrt).
#include <cstdio>

__global__ void child(int* x) { x[threadIdx.x] += 1; }

__global__ void parent(int* x) { child<<<1, 32>>>(x); }

int main() {
  int host[32] = {}, *x;
  cudaMalloc(&x, sizeof host);
  cudaMemset(x, 0, sizeof host);
  parent<<<1, 1>>>(x);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %s\n", host[31], cudaGetErrorString(cudaGetLastError()));
}
