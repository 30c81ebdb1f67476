// kernel=atb line=12 finding=KO101
// A transposed operand, fma, and blocks of 1024 threads.
#include <cmath>

__global__ void atb(const double *a, const double *b, double *out, size_t lda, int rows, int cols, int inner)
{
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= cols || y >= rows) return;
  double sum = 0.0;
  const double *column = a + y;
  for (int i = 0; i < inner; i++)
    sum = fma(column[i * lda], b[i * cols + x], sum);
  out[y * cols + x] = sum;
}

int main(int argc, char **argv)
{
  int rows = 1111, cols = 999, inner = 777;
  double *a, *b, *out;
  cudaMalloc(&a, rows * inner * sizeof(double));
  cudaMalloc(&b, inner * cols * sizeof(double));
  cudaMalloc(&out, rows * cols * sizeof(double));
  atb<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(a, b, out, rows, rows, cols, inner);
  cudaDeviceSynchronize();
  return 0;
}
