// Kernels whose names a macro puts together, more than one from the same macro.
#include <cstdio>
__global__ void plain(float *o) { o[threadIdx.x] += 0.f; }
#define POINTWISE(NAME, EXPR) static __global__ void NAME##_kernel(const float *a, float *o, int n) { \
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float v = a[i]; o[i] = (EXPR); } } \
  static void NAME(const float *a, float *o, int n) { NAME##_kernel<<<1, 100>>>(a, o, n); }
POINTWISE(inv, 1 - v)
POINTWISE(twice, 2 * v)
#define PRE(NAME) __global__ void run_##NAME(float *o) { o[threadIdx.x] += sizeof(NAME); }
PRE(int)
PRE(double)
int main() {
  float *a, *b; cudaMalloc(&a, 400); cudaMalloc(&b, 400); cudaMemset(a, 0, 400);
  inv(a, b, 100); twice(b, a, 100); twice_kernel<<<1, 100>>>(a, b, 100);
  run_int<<<1, 32>>>(b); run_double<<<1, 32>>>(b);
  plain<<<1, 32>>>(b); float h; cudaMemcpy(&h, b, 4, cudaMemcpyDeviceToHost); printf("pasted_kernels %s\n", h == 16 ? "PASS" : "FAIL"); return h == 16 ? 0 : 1; }
