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
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || j >= count) return;
  seen[i * count + j] = 1;
  if (i == j) seen[i * count + j] = 2;
  double dot = 0;
  for (int d = 0; d < dims; ++d) {
    dot += rows[i * dims + d] * rows[j * dims + d];
  }
  products[i * count + j] = dot;
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
  gram<<<dim3((count + 15) / 16, (count + 15) / 16), dim3(16, 16)>>>(d_rows, d_gram, d_seen, count, dims);
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
