// kernel=gemm_nt line=18 finding=KO103
#include <cstdio>
#include <vector>
#define TILE 16

/* C = A * B^T, both row-major n x n with n a multiple of TILE */
__global__ void gemm_nt(const float* A, const float* B, float* C, int n) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    As[ty][tx] = A[row * n + t + tx];
    Bs[ty][tx] = B[(blockIdx.x * TILE + ty) * n + t + tx];
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += As[ty][k] * Bs[tx][k];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

int main() {
  const int n = 64;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) { a[i] = i % 7; b[i] = i % 5; }
  float *da, *db, *dc;
  cudaMalloc(&da, n * n * 4); cudaMalloc(&db, n * n * 4); cudaMalloc(&dc, n * n * 4);
  cudaMemcpy(da, a.data(), n * n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * n * 4, cudaMemcpyHostToDevice);
  gemm_nt<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
  cudaMemcpy(c.data(), dc, n * n * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float s = 0;
      for (int k = 0; k < n; ++k) s += a[i * n + k] * b[j * n + k];
      bad += s != c[i * n + j];
    }
  puts(bad ? "FAIL" : "PASS");
  return bad != 0;
}
