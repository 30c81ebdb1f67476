// Launches whose parts macros put together, and a kernel with a reference parameter.
#include <cstdio>
__global__ void fill(float* p, float v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = v; }
template <int N> __global__ void add(float* p) { p[threadIdx.x] += N; }
__global__ void by_reference(float* p, const int& n) { p[threadIdx.x] += n; }
#define CALL(name, cfg, args) name cfg args
#define ON_ONE_BLOCK(k) k<<<1, 64>>>
#define GO(k, cfg, args) k<<<cfg>>>args
#define TWO_BLOCKS 2, 32

int main() {
  float *p, host[64];
  int* n;
  cudaMalloc(&p, sizeof host);
  cudaMallocManaged(&n, sizeof *n);
  *n = 100;
  CALL(fill, <<<2, 32>>>, (p, 1, 64));
  ON_ONE_BLOCK(add<3>)(p);
  GO(fill, TWO_BLOCKS, (p, 7, 32));
  by_reference<<<1, 64>>>(p, *n);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  printf("split_launches %s %g %g\n", host[0] == 107 && host[63] == 104 ? "PASS" : "FAIL", host[0], host[63]);
}
