// A launch whose blocks wait for each other.
#include <cooperative_groups.h>
#include <cstdio>

constexpr int N = 512;

__global__ void reverse_in_place(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? x[n - 1 - i] : 0;
  cooperative_groups::this_grid().sync();
  if (i < n) x[i] = value;
}

int main() {
  int host[N], n = N, *x;
  for (int i = 0; i < N; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  void* arguments[] = {&x, &n};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(reverse_in_place), dim3(4), dim3(128), arguments, 0, nullptr);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %s\n", host[0], cudaGetErrorString(cudaGetLastError()));
}
