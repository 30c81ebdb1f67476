// kernel=multiply line=14 finding=KO102
#include <stdio.h>
#include <stdlib.h>

// C = A * B, A is rowsA x inner, B is inner x colsB
__global__ void multiply(double *A, double *B, double *C, int rowsA, int inner, int colsB)
{
  __shared__ double aTile[16][132];
  __shared__ double bTile[16][64];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  double sum[8][4] = {};
  for (int start = 0; start < inner; start += 16) {
    for (int e = thread; e < 16 * 128; e += 256) {
      const int row = blockIdx.y * 128 + e / 16;
      const int k = start + e % 16;
      aTile[e % 16][e / 16] = row < rowsA && k < inner ? A[row * inner + k] : 0.0;
    }
    for (int e = thread; e < 16 * 64; e += 256) {
      const int col = blockIdx.x * 64 + e % 64;
      const int k = start + e / 64;
      bTile[e / 64][e % 64] = col < colsB && k < inner ? B[k * colsB + col] : 0.0;
    }
    __syncthreads();
    #pragma unroll
    for (int p = 0; p < 16; ++p) {
      double aReg[8];
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        aReg[i] = aTile[p][i / 2 * 32 + threadIdx.y * 2 + i % 2];
      }
      double bReg[4];
      #pragma unroll
      for (int j = 0; j < 4; ++j) {
        bReg[j] = bTile[p][j / 2 * 32 + threadIdx.x * 2 + j % 2];
      }
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
          sum[i][j] += aReg[i] * bReg[j];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = blockIdx.y * 128 + i / 2 * 32 + threadIdx.y * 2 + i % 2;
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int col = blockIdx.x * 64 + j / 2 * 32 + threadIdx.x * 2 + j % 2;
      if (row < rowsA && col < colsB) {
        C[row * colsB + col] = sum[i][j];
      }
    }
  }
}

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 40, n = m + 9, p = m - 7;
  double *A, *B, *C;
  cudaMallocManaged(&A, m * n * sizeof(double));
  cudaMallocManaged(&B, n * p * sizeof(double));
  cudaMallocManaged(&C, m * p * sizeof(double));
  for (int i = 0; i < m * n; i++) A[i] = i % 11;
  for (int i = 0; i < n * p; i++) B[i] = i % 5;
  dim3 blockSize(16, 16);
  dim3 gridSize((p + 63) / 64, (m + 127) / 128);
  multiply<<<gridSize, blockSize>>>(A, B, C, m, n, p);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < m * p; i++) sum += C[i];
  printf("%f\n", sum);
  return 0;
}
