// cudaLaunchKernel and its kin, with every spelling of the function's address.
#include <cstdio>
#include <cuda_runtime.h>
struct Args { float scale; int offset; };
__global__ void plain(int* out, int v) { out[threadIdx.x] = v; }
template <typename T> __global__ void typed(T* out, Args a) { out[threadIdx.x] = (T)(threadIdx.x * a.scale + a.offset); }
int main() {
  int *d, h[32], v = 4; bool ok = true; cudaMalloc(&d, 128); void* args[] = {&d, &v};
  auto first = [&] { cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); return h[2]; };
  ok &= cudaLaunchKernel((void*)plain, dim3(1), dim3(32), args, 0, 0) == cudaSuccess && first() == 4; v = 5;
  ok &= cudaLaunchKernel((const void*)&plain, 1, 32, args) == cudaSuccess && first() == 5; v = 6;
  ok &= cudaLaunchKernel(plain, 1, 32, args) == cudaSuccess && first() == 6; v = 7;
  ok &= cudaLaunchKernel(reinterpret_cast<void*>(plain), 1, 32, args, 0, nullptr) == cudaSuccess && first() == 7;
  Args a{2, 1}; void* more[] = {&d, &a};
  ok &= cudaLaunchKernel((void*)typed<int>, 1, 32, more, 0, 0) == cudaSuccess && first() == 5; a.offset = 2;
  ok &= cudaLaunchKernel(typed<int>, 1, 32, more, 0, 0) == cudaSuccess && first() == 6; a.offset = 3;
  const void* chosen = reinterpret_cast<const void*>(&typed<int>); ok &= cudaLaunchKernel(chosen, 1, 32, more, 0, 0) == cudaSuccess && first() == 7;
  ok &= cudaLaunchKernel((void*)&v, 1, 32, more, 0, 0) == cudaErrorInvalidDeviceFunction;
  puts(ok ? "launch_by_address PASS" : "launch_by_address FAIL"); return !ok;
}
