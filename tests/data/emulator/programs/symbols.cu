// Variables of device, constant and managed memory.
#include <cstdio>
#include <cuda_runtime.h>
struct Settings { int n; float scale[3]; };
__constant__ float coefficients[4] = {1, 2, 3, 4};
__constant__ const int fixed = 5;
static __constant__ Settings settings;
__device__ int counter, others[2] = {7, 8};
__device__ float* where;
__device__ volatile int flag;
__managed__ int shared_total = 1;
namespace lib { __device__ double value = 2.5; __constant__ int table[2][2] = {{1, 2}, {3, 4}}; }
__device__ static const float pi = 3.14159f;
__device__ int (*chosen)(int);
__device__ int twice(int x) { return 2 * x; }
constexpr __device__ int squares[] = {0, 1, 4, 9};
__global__ void setup() { chosen = twice; }
__global__ void use(float* out) {
  int i = threadIdx.x;
  out[i] = coefficients[i % 4] * settings.scale[1] + fixed + others[1] + (float)lib::value + lib::table[1][0] + squares[3] + chosen(settings.n);
  atomicAdd(&counter, 1);
  if (i == 0) { flag = 3; shared_total += 10; where[0] = pi; }
}
int main() {
  float* d; cudaMalloc(&d, 256); Settings s{10, {0, 2, 0}};
  cudaMemcpyToSymbol(settings, &s, sizeof s);
  float two = 2; cudaMemcpyToSymbol(coefficients, &two, sizeof two, sizeof(float) * 3);
  float* p = d + 32; cudaMemcpyToSymbol(where, &p, sizeof p);
  setup<<<1, 1>>>(); use<<<1, 32>>>(d);
  float h[33]; cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int count, f; cudaMemcpyFromSymbol(&count, counter, sizeof count); cudaMemcpyFromSymbol(&f, flag, sizeof f);
  void* address; size_t size; cudaGetSymbolAddress(&address, lib::value); cudaGetSymbolSize(&size, lib::table);
  double v; cudaMemcpy(&v, address, sizeof v, cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  bool ok = h[0] == 2 + 5 + 8 + 2.5f + 3 + 9 + 20 && h[3] == 4 + 47.5f && h[32] == 3.14159f && count == 32 && f == 3 && shared_total == 11 && v == 2.5 && size == 16;
  ok = ok && cudaMemcpyToSymbol(counter, &count, 8) == cudaErrorInvalidValue;
  puts(ok ? "symbols PASS" : "symbols FAIL"); return !ok;
}
