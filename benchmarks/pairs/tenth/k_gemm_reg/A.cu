// C <- alpha*A*B + beta*C, row major, any m, n, k and leading dimensions.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK_CUDA(x)                                                        \
  do {                                                                       \
    cudaError_t status = (x);                                                \
    if (status != cudaSuccess) {                                             \
      std::fprintf(stderr, "CUDA failure %d: %s\n", __LINE__,                \
                   cudaGetErrorString(status));                              \
      std::exit(1);                                                          \
    }                                                                        \
  } while (0)

template <typename T>
struct Matrix {
  T* data;
  int rows, cols, ld;
};

template <typename T>
__global__ void gemm(T alpha, Matrix<T> a, Matrix<T> b, T beta, Matrix<T> c) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= c.rows || col >= c.cols) return;
  T sum = T(0);
  for (int k = 0; k < a.cols; ++k)
    sum += a.data[(size_t)row * a.ld + k] * b.data[(size_t)k * b.ld + col];
  T* out = &c.data[(size_t)row * c.ld + col];
  *out = alpha * sum + beta * *out;
}

template <typename T>
void launch(T alpha, Matrix<T> a, Matrix<T> b, T beta, Matrix<T> c) {
  dim3 block(16, 16);
  dim3 grid((c.cols + 15) / 16, (c.rows + 15) / 16);
  gemm<T><<<grid, block>>>(alpha, a, b, beta, c);
  CHECK_CUDA(cudaGetLastError());
}

template <typename T>
Matrix<T> make(int rows, int cols, int ld, unsigned seed) {
  std::vector<T> h((size_t)rows * ld);
  for (auto& v : h) {
    seed = seed * 69069u + 1u;
    v = T((int)(seed >> 20) - 2048) / T(2048);
  }
  Matrix<T> m{nullptr, rows, cols, ld};
  CHECK_CUDA(cudaMalloc(&m.data, h.size() * sizeof(T)));
  CHECK_CUDA(cudaMemcpy(m.data, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return m;
}

template <typename T>
void run(const char* name, int m, int n, int k) {
  Matrix<T> a = make<T>(m, k, k + 3, 1u), b = make<T>(k, n, n, 2u), c = make<T>(m, n, n + 1, 3u);
  launch<T>(T(1.5), a, b, T(-0.25), c);
  launch<T>(T(0.125), a, b, T(1), c);

  std::vector<T> h((size_t)m * c.ld);
  CHECK_CUDA(cudaMemcpy(h.data(), c.data, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
  double sum = 0, wsum = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      sum += h[(size_t)i * c.ld + j];
      wsum += h[(size_t)i * c.ld + j] * ((i * 31 + j * 17) % 97);
    }
  std::printf("%s %dx%dx%d  sum %.6f  weighted %.6f  c[0] %.6f\n", name, m, n, k, sum, wsum, (double)h[0]);
  cudaFree(a.data);
  cudaFree(b.data);
  cudaFree(c.data);
}

int main() {
  run<float>("float ", 300, 261, 190);
  run<double>("double", 130, 97, 203);
  return 0;
}
