// kernel=atb line=12 finding=KO101
// A transposed operand, fma, and blocks of 1024 threads.
#include <cmath>

__global__ void atb(const double *a, const double *b, double *out, size_t lda, int rows, int cols, int inner)
{
  __shared__ double column_tile[16][68];
  __shared__ double b_tile[16][68];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int lane = thread % 32;
  const int warp_y = thread / 64 * 32, warp_x = thread / 32 % 2 * 32;
  // a lane's sums of 16 x 8: rows lane / 4 and + 8, columns lane % 4 * 2 and + 1
  double sum[2][4][4] = {};
  // each round loads a tile while it multiplies the one before; the last round only multiplies
  for (int start = 0; start < inner + 16; start += 16) {
    double column_next[8];
    #pragma unroll
    for (int e = 0; e < 16; e += 2) {
      const int y = blockIdx.y * 64 + thread % 64;
      const int i = start + e + thread / 64;
      const double *column = a + y;
      column_next[e / 2] = y < rows && i < inner ? column[i * lda] : 0.0;
    }
    double b_next[8];
    #pragma unroll
    for (int e = 0; e < 16; e += 2) {
      const int x = blockIdx.x * 64 + thread % 64;
      const int i = start + e + thread / 64;
      b_next[e / 2] = x < cols && i < inner ? b[i * cols + x] : 0.0;
    }
    if (start > 0) {
      #pragma unroll
      for (int p = 0; p < 16; p += 4) {
        double column_reg[2][2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          column_reg[r][0] = column_tile[p + lane % 4][warp_y + r * 16 + lane / 4];
          column_reg[r][1] = column_tile[p + lane % 4][warp_y + r * 16 + lane / 4 + 8];
        }
        double b_reg[4];
        #pragma unroll
        for (int j = 0; j < 4; ++j)
          b_reg[j] = b_tile[p + lane % 4][warp_x + j * 8 + lane / 4];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
              : "+d"(sum[r][j][0]), "+d"(sum[r][j][1]), "+d"(sum[r][j][2]), "+d"(sum[r][j][3])
              : "d"(column_reg[r][0]), "d"(column_reg[r][1]), "d"(b_reg[j]));
          }
        }
      }
    }
    __syncthreads();
    #pragma unroll
    for (int e = 0; e < 16; e += 2)
      column_tile[e + thread / 64][thread % 64] = column_next[e / 2];
    #pragma unroll
    for (int e = 0; e < 16; e += 2)
      b_tile[e + thread / 64][thread % 64] = b_next[e / 2];
    __syncthreads();
  }
  #pragma unroll
  for (int r = 0; r < 2; ++r) {
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
      #pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int y = blockIdx.y * 64 + warp_y + r * 16 + lane / 4 + e / 2 * 8;
        const int x = blockIdx.x * 64 + warp_x + j * 8 + lane % 4 * 2 + e % 2;
        if (x < cols && y < rows) {
          out[y * cols + x] = sum[r][j][e];
        }
      }
    }
  }
}

int main(int argc, char **argv)
{
  int rows = 1111, cols = 999, inner = 777;
  double *a, *b, *out;
  cudaMalloc(&a, rows * inner * sizeof(double));
  cudaMalloc(&b, inner * cols * sizeof(double));
  cudaMalloc(&out, rows * cols * sizeof(double));
  atb<<<dim3((cols + 63) / 64, (rows + 63) / 64), dim3(16, 8)>>>(a, b, out, rows, rows, cols, inner);
  cudaDeviceSynchronize();
  return 0;
}
