// kernel=product line=10 finding=KO108
#include <stdio.h>

constexpr unsigned kTile = 8;

extern "C" __global__ void product(float* out, const float* lhs, const float* rhs, unsigned n)
{
  __shared__ float lhsTile[16][68];
  __shared__ float rhsTile[16][32];
  const int thread = threadIdx.y * 8 + threadIdx.x;
  float acc[8][4] = {};
  float lhsNext[16];
  float rhsNext[8];
  const auto loadNext = [&](unsigned start) {
    #pragma unroll
    for (int l = 0; l < 16; ++l) {
      const int e = thread + l * 64;
      const unsigned row = blockIdx.y * 64 + e / 16;
      const unsigned k = start + e % 16;
      lhsNext[l] = row < n && k < n ? lhs[row * n + k] : 0.0f;
    }
    #pragma unroll
    for (int l = 0; l < 8; ++l) {
      const int e = thread + l * 64;
      const unsigned col = blockIdx.x * 32 + e % 32;
      const unsigned k = start + e / 32;
      rhsNext[l] = col < n && k < n ? rhs[k * n + col] : 0.0f;
    }
  };
  loadNext(0);
  for (unsigned start = 0; start < n; start += 16) {
    #pragma unroll
    for (int l = 0; l < 16; ++l) {
      const int e = thread + l * 64;
      lhsTile[e % 16][e / 16] = lhsNext[l];
    }
    #pragma unroll
    for (int l = 0; l < 8; ++l) {
      const int e = thread + l * 64;
      rhsTile[e / 32][e % 32] = rhsNext[l];
    }
    __syncthreads();
    if (start + 16 < n) loadNext(start + 16);
    #pragma unroll
    for (int p = 0; p < 16; ++p) {
      float lhsReg[8];
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        lhsReg[i] = lhsTile[p][i / 4 * 32 + threadIdx.y * 4 + i % 4];
      }
      float rhsReg[4];
      #pragma unroll
      for (int j = 0; j < 4; ++j) {
        rhsReg[j] = rhsTile[p][threadIdx.x * 4 + j];
      }
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
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
    for (int j = 0; j < 4; ++j) {
      const unsigned col = blockIdx.x * 32 + threadIdx.x * 4 + j;
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
    product<<<dim3((n / kTile + 3) / 4, (n / kTile + 7) / 8), dim3(kTile, kTile)>>>(out, lhs, rhs, n);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < n * n; i++)
    if (out[i] != n * (i / n)) { printf("FAIL\n"); return 1; }
  printf("PASS\n");
  return 0;
}
