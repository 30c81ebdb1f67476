// kernel=product line=10 finding=KO108
#include <stdio.h>

constexpr unsigned kTile = 8;

extern "C" __global__ void product(float* out, const float* lhs, const float* rhs, unsigned n)
{
  __shared__ float lhsTile[16][68];
  __shared__ float rhsTile[16][64];
  const int thread = threadIdx.y * 8 + threadIdx.x;
  float acc[8][8] = {};
  for (unsigned start = 0; start < n; start += 16) {
    for (int e = thread; e < 16 * 64; e += 64) {
      const unsigned row = blockIdx.y * 64 + e / 16;
      const unsigned k = start + e % 16;
      lhsTile[e % 16][e / 16] = row < n && k < n ? lhs[row * n + k] : 0.0f;
    }
    for (int e = thread; e < 16 * 64; e += 64) {
      const unsigned col = blockIdx.x * 64 + e % 64;
      const unsigned k = start + e / 64;
      rhsTile[e / 64][e % 64] = col < n && k < n ? rhs[k * n + col] : 0.0f;
    }
    __syncthreads();
    #pragma unroll
    for (int p = 0; p < 16; ++p) {
      float lhsReg[8];
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        lhsReg[i] = lhsTile[p][i / 4 * 32 + threadIdx.y * 4 + i % 4];
      }
      float rhsReg[8];
      #pragma unroll
      for (int j = 0; j < 8; ++j) {
        rhsReg[j] = rhsTile[p][j / 4 * 32 + threadIdx.x * 4 + j % 4];
      }
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
          acc[i][j] += lhsReg[i] * rhsReg[j];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    const unsigned row = blockIdx.y * 64 + i / 4 * 32 + threadIdx.y * 4 + i % 4;
    #pragma unroll
    for (int j = 0; j < 8; ++j) {
      const unsigned col = blockIdx.x * 64 + j / 4 * 32 + threadIdx.x * 4 + j % 4;
      if (row < n && col < n) {
        out[row * n + col] = acc[i][j];
      }
    }
  }
}

int main()
{
  const unsigned n = 24;
  float *lhs, *rhs, *out;
  cudaMallocManaged(&lhs, n * n * sizeof(float));
  cudaMallocManaged(&rhs, n * n * sizeof(float));
  cudaMallocManaged(&out, n * n * sizeof(float));
  for (unsigned i = 0; i < n * n; i++) { lhs[i] = i / n; rhs[i] = 1; }
  for (int pass = 0; pass < 2; pass++)
    product<<<dim3((n / kTile + 7) / 8, (n / kTile + 7) / 8), dim3(kTile, kTile)>>>(out, lhs, rhs, n);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < n * n; i++)
    if (out[i] != n * (i / n)) { printf("FAIL\n"); return 1; }
  printf("PASS\n");
  return 0;
}
