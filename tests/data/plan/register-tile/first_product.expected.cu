// kernel=first_product line=13 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <vector>

// tmp = alpha * A * B
__global__ void first_product(int n, float alpha, const float* A, const float* B, float* tmp)
{
  __shared__ float a_tile[16][68];
  __shared__ float b_tile[16][128];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  float acc[8][4] = {};
  float a_next[4];
  float b_next[8];
  const auto load_next = [&](int start) {
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      const int i = blockIdx.y * 64 + e / 16;
      const int k = start + e % 16;
      a_next[l] = i < n && k < n ? A[i * n + k] : 0.0f;
    }
    #pragma unroll
    for (int l = 0; l < 8; ++l) {
      const int e = thread + l * 256;
      const int j = blockIdx.x * 128 + e % 128;
      const int k = start + e / 128;
      b_next[l] = j < n && k < n ? B[k * n + j] : 0.0f;
    }
  };
  load_next(0);
  for (int start = 0; start < n; start += 16) {
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      const int k = start + e % 16;
      a_tile[e % 16][e / 16] = k < n ? alpha * a_next[l] : 0.0f;
    }
    #pragma unroll
    for (int l = 0; l < 8; ++l) {
      const int e = thread + l * 256;
      b_tile[e / 128][e % 128] = b_next[l];
    }
    __syncthreads();
    if (start + 16 < n) load_next(start + 16);
    #pragma unroll
    for (int p = 0; p < 16; ++p) {
      float a_reg[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_reg[r] = a_tile[p][r / 4 * 32 + threadIdx.y * 4 + r % 4];
      }
      float b_reg[4];
      #pragma unroll
      for (int c = 0; c < 4; ++c) {
        b_reg[c] = b_tile[p][threadIdx.x * 4 + c];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int c = 0; c < 4; ++c) {
          acc[r][c] += a_reg[r] * b_reg[c];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    const int i = blockIdx.y * 64 + r / 4 * 32 + threadIdx.y * 4 + r % 4;
    #pragma unroll
    for (int c = 0; c < 4; ++c) {
      const int j = blockIdx.x * 128 + threadIdx.x * 4 + c;
      if (i < n && j < n) {
        tmp[i * n + j] = acc[r][c];
      }
    }
  }
}

int main(int argc, char** argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 203;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = (i * 7 % 13) * 0.25f - 1.0f;
    b[i] = (i * 5 % 11) * 0.5f - 2.0f;
  }
  float *A, *B, *C;
  cudaMalloc(&A, a.size() * sizeof(float));
  cudaMalloc(&B, b.size() * sizeof(float));
  cudaMalloc(&C, c.size() * sizeof(float));
  cudaMemcpy(A, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(B, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(32, 8);
  dim3 grid((n + 127) / 128, (n + 63) / 64);
  first_product<<<grid, block>>>(n, 1.5f, A, B, C);
  cudaMemcpy(c.data(), C, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (float v : c) s += v;
  printf("%.3f\n", s);
  return 0;
}
