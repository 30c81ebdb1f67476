// kernel=row_norms line=12 finding=KO101 technique=warp-per-row
#include <cmath>
#include <iostream>
#include <vector>

static __device__ double squared_length(const double* __restrict__ v, size_t length)
{
  double total = 0.0;
  size_t k;
  // no overflow check, the values are small
  for (k = 0; k < length; ++k) {
    total += v[k] * v[k];
  }
  return total;
}

__global__ void row_norms(const double* matrix, double* norms, size_t rows, size_t cols)
{
  const size_t r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (r >= rows) return;
  const double* row = matrix + r * cols;
  double total = 0.0;
  // no overflow check, the values are small
  for (size_t k = lane; k < cols; k += 32) {
    total += row[k] * row[k];
  }
  for (int offset = 16; offset > 0; offset /= 2)
    total += __shfl_xor_sync(0xffffffff, total, offset);
  if (lane == 0) norms[r] = sqrt(total);
}

__global__ void first_norm(const double* matrix, double* norm, size_t cols)
{
  *norm = squared_length(matrix, cols);
}

int main()
{
  const size_t rows = 700, cols = 260;
  std::vector<double> matrix(rows * cols), norms(rows);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = double(i % 91) / 91 - 0.5;
  double *d_matrix, *d_norms;
  cudaMalloc(&d_matrix, matrix.size() * sizeof(double));
  cudaMalloc(&d_norms, rows * sizeof(double));
  cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(double), cudaMemcpyHostToDevice);
  row_norms<<<(rows + 1) / 2, 64>>>(d_matrix, d_norms, rows, cols);
  cudaMemcpy(norms.data(), d_norms, rows * sizeof(double), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (double norm : norms) sum += norm;
  std::cout << sum << "\n";
  first_norm<<<1, 1>>>(d_matrix, d_norms, cols);
  cudaMemcpy(norms.data(), d_norms, sizeof(double), cudaMemcpyDeviceToHost);
  std::cout << norms[0] << "\n";
}
