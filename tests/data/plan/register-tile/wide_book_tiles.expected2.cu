// kernel=mm line=26 finding=KO108
#include <iostream>
#include <vector>

const int TILE_DIM = 32;

__global__ void mm(float *c, const float *a, const float *b, int m, int n, int k)
{
  __shared__ float a_tile[16][132];
  __shared__ float b_tile[16][64];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float v[8][4] = {};
  float a_next[8];
  float b_next[4];
  const auto load_next = [&](int start) {
    #pragma unroll
    for (int l = 0; l < 8; ++l) {
      const int e = thread + l * 256;
      const int row = blockIdx.y * 128 + e / 16;
      const int i = start + e % 16;
      a_next[l] = row < m && i < k ? a[row * k + i] : 0.0f;
    }
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      const int col = blockIdx.x * 64 + e % 64;
      const int i = start + e / 64;
      b_next[l] = col < n && i < k ? b[i * n + col] : 0.0f;
    }
  };
  load_next(0);
  for (int start = 0; start < k; start += 16) {
    #pragma unroll
    for (int l = 0; l < 8; ++l) {
      const int e = thread + l * 256;
      a_tile[e % 16][e / 16] = a_next[l];
    }
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      b_tile[e / 64][e % 64] = b_next[l];
    }
    __syncthreads();
    if (start + 16 < k) load_next(start + 16);
    #pragma unroll
    for (int p = 0; p < 16; ++p) {
      float a_reg[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_reg[r] = a_tile[p][r / 4 * 64 + threadIdx.y * 4 + r % 4];
      }
      float b_reg[4];
      #pragma unroll
      for (int j = 0; j < 4; ++j) {
        b_reg[j] = b_tile[p][threadIdx.x * 4 + j];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
          v[r][j] += a_reg[r] * b_reg[j];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    const int row = blockIdx.y * 128 + r / 4 * 64 + threadIdx.y * 4 + r % 4;
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int col = blockIdx.x * 64 + threadIdx.x * 4 + j;
      if (row < m && col < n) {
        c[row * n + col] = v[r][j];
      }
    }
  }
}

int main()
{
  const int m = 900, n = 1000, k = 60;
  float *a, *b, *c;
  cudaMallocManaged(&a, m * k * sizeof(float));
  cudaMallocManaged(&b, k * n * sizeof(float));
  cudaMallocManaged(&c, m * n * sizeof(float));
  for (int i = 0; i < m * k; ++i) a[i] = (i % 13) * 0.25f;
  for (int i = 0; i < k * n; ++i) b[i] = (i % 7) * 0.5f;
  mm<<<dim3((n + 2 * TILE_DIM - 1) / (2 * TILE_DIM), (m + 4 * TILE_DIM - 1) / (4 * TILE_DIM)), dim3(16, 16)>>>(c, a, b, m, n, k);
  cudaDeviceSynchronize();
  double total = 0;
  for (int i = 0; i < m * n; ++i) total += c[i];
  std::cout << total << std::endl;
}
