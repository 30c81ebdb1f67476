// kernel=sgemm_smem line=24 finding=KO108
// C = alpha*A*B + beta*C, tiled
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
constexpr int BS = 32;

__global__ void sgemm_smem(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a_tile[8][132];
  __shared__ float b_tile[8][128];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float acc[8][8] = {};
  float a_next[4];
  float b_next[4];
  const auto load_next = [&](int start) {
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      const int row = blockIdx.y * 128 + e / 8;
      const int k = start + e % 8;
      a_next[l] = row < M && k < K ? A[row * K + k] : 0.0f;
    }
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      const int col = blockIdx.x * 128 + e % 128;
      const int k = start + e / 128;
      b_next[l] = col < N && k < K ? B[k * N + col] : 0.0f;
    }
  };
  load_next(0);
  for (int start = 0; start < K; start += 8) {
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      a_tile[e % 8][e / 8] = a_next[l];
    }
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      b_tile[e / 128][e % 128] = b_next[l];
    }
    __syncthreads();
    if (start + 8 < K) load_next(start + 8);
    #pragma unroll
    for (int p = 0; p < 8; ++p) {
      float a_reg[8];
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        a_reg[i] = a_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
      }
      float b_reg[8];
      #pragma unroll
      for (int j = 0; j < 8; ++j) {
        b_reg[j] = b_tile[p][j / 4 * 64 + threadIdx.x * 4 + j % 4];
      }
      #pragma unroll
      for (int i = 0; i < 8; ++i) {
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
          acc[i][j] += a_reg[i] * b_reg[j];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
    #pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int col = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
      if (row < M && col < N) {
        C[row * N + col] = alpha * acc[i][j] + beta * C[row * N + col];
      }
    }
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 128;
  int M = n, N = n + 32, K = n - 32;
  std::vector<float> a(M * K), b(K * N), c(M * N);
  for (size_t i = 0; i < a.size(); i++) a[i] = float(i % 7) - 3.0f;
  for (size_t i = 0; i < b.size(); i++) b[i] = float(i % 5) * 0.25f;
  for (size_t i = 0; i < c.size(); i++) c[i] = float(i % 3);
  float *da, *db, *dc;
  cudaMalloc((void **)&da, a.size() * 4);
  cudaMalloc((void **)&db, b.size() * 4);
  cudaMalloc((void **)&dc, c.size() * 4);
  cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
  dim3 threads(16, 16);
  dim3 blocks((N + 4 * BS - 1) / (4 * BS), (M + 4 * BS - 1) / (4 * BS));
  sgemm_smem<<<blocks, threads>>>(M, N, K, 1.5f, da, db, 0.5f, dc);
  cudaDeviceSynchronize();
  cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
  double t = 0;
  for (float v : c) t += v;
  printf("%g\n", t);
}
