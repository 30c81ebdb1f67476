// kernel=norm1 line=4 finding=KO111
#include <cstdio>
#include <cstdlib>
__global__ void norm1(const double* x, double* out, long n) {
  double s = 0;
  for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += fabs(x[i]);
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(&out[blockIdx.x], s);
}

double norm(const double* d_x, long n) {
  int blocks = 480, threads = 192;
  double *d_out, *out = (double*)calloc(blocks, sizeof(double)), total = 0;
  cudaMalloc(&d_out, blocks * sizeof(double));
  cudaMemset(d_out, 0, blocks * sizeof(double));
  dim3 grid(blocks), block(threads);
  norm1<<<grid, block>>>(d_x, d_out, n);
  cudaMemcpy(out, d_out, blocks * sizeof(double), cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; b++) total += out[b];
  cudaFree(d_out);
  free(out);
  return total;
}

int main() {
  const long n = 500000;
  double *x = (double*)malloc(n * 8), *d;
  for (long i = 0; i < n; i++) x[i] = (i % 9) - 4.0;
  cudaMalloc(&d, n * 8);
  cudaMemcpy(d, x, n * 8, cudaMemcpyHostToDevice);
  printf("%.1f\n", norm(d, n));
}
