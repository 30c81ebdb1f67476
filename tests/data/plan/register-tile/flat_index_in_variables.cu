// kernel=multiply line=14 finding=KO102
#include <stdio.h>
#include <stdlib.h>

// C = A * B, A is rowsA x inner, B is inner x colsB
__global__ void multiply(double *A, double *B, double *C, int rowsA, int inner, int colsB)
{
  int total = rowsA * colsB;
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < total) {
    int row = id / colsB;
    int col = id % colsB;
    double sum = 0.0;
    for (int k = 0; k < inner; k++) {
      sum += A[row * inner + k] * B[k * colsB + col];
    }
    C[id] = sum;
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
  int blockSize = 256;
  int gridSize = (m * p + blockSize - 1) / blockSize;
  multiply<<<gridSize, blockSize>>>(A, B, C, m, n, p);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < m * p; i++) sum += C[i];
  printf("%f\n", sum);
  return 0;
}
