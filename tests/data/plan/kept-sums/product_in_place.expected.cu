// kernel=mm line=17 finding=KO108 technique=register-tile
#include <cstdio>
#include <cstdlib>
#include <vector>

void ok(cudaError_t status) {
  if (status != cudaSuccess) std::exit(printf("%s\n", cudaGetErrorString(status)));
}

// c = a * b for rows x inner times inner x cols
__global__ void mm(const float* a, const float* b, float* c, int rows, int inner, int cols) {
  __shared__ float a_tile[8][132];
  __shared__ float b_tile[8][128];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float c_acc[8][8] = {};
  float a_next[4];
  float b_next[4];
  const auto load_next = [&](int start) {
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      const int row = blockIdx.y * 128 + e / 8;
      const int k = start + e % 8;
      a_next[l] = row < rows && k < inner ? a[row * inner + k] : 0.0f;
    }
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int e = thread + l * 256;
      const int col = blockIdx.x * 128 + e % 128;
      const int k = start + e / 128;
      b_next[l] = col < cols && k < inner ? b[k * cols + col] : 0.0f;
    }
  };
  load_next(0);
  for (int start = 0; start < inner; start += 8) {
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
    if (start + 8 < inner) load_next(start + 8);
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
          c_acc[i][j] += a_reg[i] * b_reg[j];
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
      if (row < rows && col < cols) {
        c[row * cols + col] = c_acc[i][j];
      }
    }
  }
}

int main(int argc, char** argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 70, inner = argc > 2 ? atoi(argv[2]) : 90, cols = argc > 3 ? atoi(argv[3]) : 110;
  std::vector<float> a(rows * inner), b(inner * cols), c(rows * cols);
  for (size_t i = 0; i < a.size(); i++) a[i] = float(i % 17) / 17;
  for (size_t i = 0; i < b.size(); i++) b[i] = float(i % 11) / 11 - 0.3f;
  float *da, *db, *dc;
  ok(cudaMalloc(&da, a.size() * 4));
  ok(cudaMalloc(&db, b.size() * 4));
  ok(cudaMalloc(&dc, c.size() * 4));
  ok(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
  ok(cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
  dim3 block(16, 16), grid((cols + 127) / 128, (rows + 127) / 128);
  mm<<<grid, block>>>(da, db, dc, rows, inner, cols);
  ok(cudaGetLastError());
  ok(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (float v : c) sum += v;
  printf("%.4f\n", sum);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
