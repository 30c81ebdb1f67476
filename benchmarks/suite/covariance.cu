// Sample covariance matrix of `points` observations of `dims` variables.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define ASSERT_CUDA(expr)                                               \
  do {                                                                  \
    cudaError_t result = (expr);                                        \
    if (result != cudaSuccess) {                                        \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(result));         \
      assert(result == cudaSuccess);                                    \
      std::exit(3);                                                     \
    }                                                                   \
  } while (false)

__global__ void center(double* data, int points, int dims) {
  int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (d >= dims) return;
  double mean = 0;
  for (int p = 0; p < points; ++p) mean += data[p * dims + d];
  mean /= points;
  for (int p = 0; p < points; ++p) data[p * dims + d] -= mean;
}

__global__ void covariance(const double* data, double* cov, int points, int dims) {
  int a = blockIdx.y * blockDim.y + threadIdx.y;
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= dims || b >= dims || a > b) return;
  double sum = 0;
  for (int p = 0; p < points; ++p) sum += data[p * dims + a] * data[p * dims + b];
  sum /= points - 1;
  cov[a * dims + b] = sum;
  cov[b * dims + a] = sum;
}

int main(int argc, char** argv) {
  int points = argc > 1 ? std::atoi(argv[1]) : 100;
  int dims = argc > 2 ? std::atoi(argv[2]) : 64;

  std::vector<double> data(points * dims), cov(dims * dims);
  for (int p = 0; p < points; ++p)
    for (int d = 0; d < dims; ++d) data[p * dims + d] = static_cast<double>((p + 1) * (d + 7) % 211) / 211;

  double *d_data, *d_cov;
  ASSERT_CUDA(cudaMalloc(&d_data, data.size() * sizeof(double)));
  ASSERT_CUDA(cudaMalloc(&d_cov, cov.size() * sizeof(double)));
  ASSERT_CUDA(cudaMemcpy(d_data, data.data(), data.size() * sizeof(double), cudaMemcpyHostToDevice));

  center<<<(dims + 127) / 128, 128>>>(d_data, points, dims);
  ASSERT_CUDA(cudaGetLastError());
  dim3 block(32, 32);
  dim3 grid((dims + block.x - 1) / block.x, (dims + block.y - 1) / block.y);
  covariance<<<grid, block>>>(d_data, d_cov, points, dims);
  ASSERT_CUDA(cudaGetLastError());
  ASSERT_CUDA(cudaMemcpy(cov.data(), d_cov, cov.size() * sizeof(double), cudaMemcpyDeviceToHost));

  double trace = 0, total = 0;
  for (int d = 0; d < dims; ++d) trace += cov[d * dims + d];
  for (double c : cov) total += c;
  std::printf("trace %.8f total %.8f\n", trace, total);

  ASSERT_CUDA(cudaFree(d_data));
  ASSERT_CUDA(cudaFree(d_cov));
  return 0;
}
