// Host variables, parameters and fields that are named like the built-in ones.
#include <cstdio>
#include <cuda_runtime.h>
struct Plan { dim3 gridDim, blockDim; int threadIdx; dim3 total() const { return dim3(gridDim.x * blockDim.x); } };
__global__ void fill(int* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = gridDim.x; }
void run(int* d, const dim3& gridDim, dim3 blockDim, int n) { fill<<<gridDim, blockDim>>>(d, n); }
int main() {
  int* d; cudaMalloc(&d, 1024); int h[4];
  dim3 blockDim(64); dim3 gridDim((200 + blockDim.x - 1) / blockDim.x);
  fill<<<gridDim, blockDim>>>(d, 200); cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost); bool ok = h[3] == 4;
  { dim3 gridDim(2, 1), threadIdx(1); ok = ok && gridDim.x == 2 && threadIdx.y == 1; }
  Plan plan; plan.gridDim = dim3(3); plan.blockDim.x = 32; plan.threadIdx = 5; Plan* p = &plan;
  run(d, p->gridDim, plan.blockDim, 96); cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost); ok = ok && h[0] == 3 && plan.total().x == 96 && plan.threadIdx == 5;
  cudaLaunchConfig_t config = {}; config.gridDim = dim3(5); config.blockDim = 32; config.dynamicSmemBytes = 0;
  ok = ok && cudaLaunchKernelEx(&config, fill, d, 160) == cudaSuccess; cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost); ok = ok && h[0] == 5;
  cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); int warpSize = prop.warpSize; ok = ok && warpSize == 32;
  puts(ok ? "shadowed_builtins PASS" : "shadowed_builtins FAIL"); return !ok;
}
