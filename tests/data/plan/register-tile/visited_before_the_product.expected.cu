// kernel=gram line=21 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

// gram = rows * rows^T in double, and which pairs were looked at
__global__ void gram(const double* rows, double* products, unsigned char* seen, int count, int dims) {
  __shared__ double rows_i_tile[16][132];
  __shared__ double rows_j_tile[16][68];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  double dot[8][4] = {};
  for (int start = 0; start < dims; start += 16) {
    for (int e = thread; e < 16 * 128; e += 256) {
      const int i = blockIdx.y * 128 + e / 16;
      const int d = start + e % 16;
      rows_i_tile[e % 16][e / 16] = i < count && d < dims ? rows[i * dims + d] : 0.0;
    }
    for (int e = thread; e < 16 * 64; e += 256) {
      const int j = blockIdx.x * 64 + e / 16;
      const int d = start + e % 16;
      rows_j_tile[e % 16][e / 16] = j < count && d < dims ? rows[j * dims + d] : 0.0;
    }
    __syncthreads();
    #pragma unroll
    for (int p = 0; p < 16; ++p) {
      double rows_i_reg[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        rows_i_reg[r] = rows_i_tile[p][r / 2 * 32 + threadIdx.y * 2 + r % 2];
      }
      double rows_j_reg[4];
      #pragma unroll
      for (int c = 0; c < 4; ++c) {
        rows_j_reg[c] = rows_j_tile[p][c / 2 * 32 + threadIdx.x * 2 + c % 2];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int c = 0; c < 4; ++c) {
          dot[r][c] += rows_i_reg[r] * rows_j_reg[c];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    const int i = blockIdx.y * 128 + r / 2 * 32 + threadIdx.y * 2 + r % 2;
    #pragma unroll
    for (int c = 0; c < 4; ++c) {
      const int j = blockIdx.x * 64 + c / 2 * 32 + threadIdx.x * 2 + c % 2;
      if (i < count && j < count) {
        seen[i * count + j] = 1;
        if (i == j) seen[i * count + j] = 2;
        products[i * count + j] = dot[r][c];
      }
    }
  }
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 70, dims = argc > 2 ? std::atoi(argv[2]) : 50;
  std::vector<double> rows(count * dims), result(count * count);
  std::vector<unsigned char> seen(count * count);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = double(i % 29) / 29 - 0.5;
  double *d_rows, *d_gram;
  unsigned char* d_seen;
  check(cudaMalloc(&d_rows, rows.size() * sizeof(double)));
  check(cudaMalloc(&d_gram, result.size() * sizeof(double)));
  check(cudaMalloc(&d_seen, seen.size()));
  check(cudaMemcpy(d_rows, rows.data(), rows.size() * sizeof(double), cudaMemcpyHostToDevice));
  gram<<<dim3((count + 63) / 64, (count + 127) / 128), dim3(16, 16)>>>(d_rows, d_gram, d_seen, count, dims);
  check(cudaGetLastError());
  check(cudaMemcpy(result.data(), d_gram, result.size() * sizeof(double), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(seen.data(), d_seen, seen.size(), cudaMemcpyDeviceToHost));
  double sum = 0;
  int visits = 0;
  for (size_t i = 0; i < seen.size(); ++i) sum += result[i], visits += seen[i];
  std::printf("%.9f %d\n", sum, visits);
  cudaFree(d_rows);
  cudaFree(d_gram);
  cudaFree(d_seen);
  return 0;
}
