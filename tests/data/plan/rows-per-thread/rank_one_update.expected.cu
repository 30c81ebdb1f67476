// kernel=eliminate line=9 finding=KO121
#include <stdio.h>

// rows and columns behind pivot p of a dense matrix
__global__ void eliminate(float *m, int size, int p)
{
  int col = p + 1 + blockIdx.x * blockDim.x + threadIdx.x, first_row = p + 1 + (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (col < size) {
    if (first_row + 3 < size) {
      float result[4];
      #pragma unroll
      for (int r = 0; r < 4; r++) {
        const int row = first_row + r;
        result[r] = m[row * size + col] - m[row * size + p] * m[p * size + col];
      }
      #pragma unroll
      for (int r = 0; r < 4; r++) {
        const int row = first_row + r;
        m[row * size + col] = result[r];
      }
    } else {
      for (int r = 0; r < 4; r++) {
        const int row = first_row + r;
        if (row < size) {
          m[row * size + col] -= m[row * size + p] * m[p * size + col];
        }
      }
    }
  }
}

int main()
{
  const int size = 44;
  float host[size * size], *m;
  for (int i = 0; i < size * size; i++) host[i] = i % (size + 1) ? (i * 7 % 23) / 230.0f : 1.0f;
  cudaMalloc(&m, sizeof(host));
  cudaMemcpy(m, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int p = 0; p < 6; p++)
    eliminate<<<dim3((size - p + 31) / 32, (size - p + 31) / 32), dim3(32, 8)>>>(m, size, p);
  cudaMemcpy(host, m, sizeof(host), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < size * size; i++) sum += host[i];
  printf("%f\n", sum);
  cudaFree(m);
  return 0;
}
