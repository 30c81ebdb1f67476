// kernel=transpose_half line=19 finding=KO103
#include <cstdio>
#include <cuda_fp16.h>
#include <vector>

#define DIM 32
#define ROWS 8

__global__ void transpose_half(__half* out, const __half* in, int width) {
  __shared__ __half tile[DIM][DIM + 2];
  int x = blockIdx.x * DIM + threadIdx.x;
  int y = blockIdx.y * DIM + threadIdx.y;
  for (int j = 0; j < DIM; j += ROWS)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * DIM + threadIdx.x;
  y = blockIdx.x * DIM + threadIdx.y;
  for (int j = 0; j < DIM; j += ROWS)
    out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int n = 64;
  std::vector<__half> h(n * n), r(n * n);
  for (int i = 0; i < n * n; i++) h[i] = __float2half(float(i % 512));
  __half *in, *out;
  cudaMalloc(&in, n * n * sizeof(__half));
  cudaMalloc(&out, n * n * sizeof(__half));
  cudaMemcpy(in, h.data(), n * n * sizeof(__half), cudaMemcpyHostToDevice);
  for (int repeat = 0; repeat < 3; repeat++)
    transpose_half<<<dim3(n / DIM, n / DIM), dim3(DIM, ROWS)>>>(out, in, n);
  cudaMemcpy(r.data(), out, n * n * sizeof(__half), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      bad += __half2float(r[i * n + j]) != __half2float(h[j * n + i]);
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
