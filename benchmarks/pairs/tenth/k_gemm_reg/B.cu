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

// 64x64 tile of C per block of 16x16 threads, 4x4 values per thread in registers;
// tiles of A (transposed) and B go through shared memory, the next ones are prefetched
// into registers while the current ones are used.
constexpr int TILE = 64, KT = 16, SIDE = 16, PER = TILE / SIDE;

template <typename T>
__global__ void __launch_bounds__(SIDE* SIDE) gemm(T alpha, Matrix<T> a, Matrix<T> b, T beta, Matrix<T> c) {
  __shared__ T as[2][KT][TILE + 1];
  __shared__ T bs[2][KT][TILE];

  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  const int depth = a.cols;

  // thread's share of a tile: A by (row ar + 16 i, column ak), B by (row bk + 4 i, column bc)
  const int ar = tid / KT, ak = tid % KT;
  const int bk = tid / TILE, bc = tid % TILE;
  T ra[PER], rb[PER];

  auto fetch = [&](int k0) {
#pragma unroll
    for (int i = 0; i < PER; ++i) {
      int r = row0 + ar + i * SIDE, k = k0 + ak;
      ra[i] = (r < c.rows && k < depth) ? a.data[(size_t)r * a.ld + k] : T(0);
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) {
      int k = k0 + bk + i * 4, col = col0 + bc;
      rb[i] = (k < depth && col < c.cols) ? b.data[(size_t)k * b.ld + col] : T(0);
    }
  };
  auto store = [&](int buf) {
#pragma unroll
    for (int i = 0; i < PER; ++i) as[buf][ak][ar + i * SIDE] = ra[i];
#pragma unroll
    for (int i = 0; i < PER; ++i) bs[buf][bk + i * 4][bc] = rb[i];
  };

  T acc[PER][PER];
#pragma unroll
  for (int i = 0; i < PER; ++i)
#pragma unroll
    for (int j = 0; j < PER; ++j) acc[i][j] = T(0);

  const int tiles = (depth + KT - 1) / KT;
  int buf = 0;
  fetch(0);
  for (int t = 0; t < tiles; ++t) {
    store(buf);
    __syncthreads();
    if (t + 1 < tiles) fetch((t + 1) * KT);
    const int left = min(KT, depth - t * KT);
    for (int k = 0; k < left; ++k) {
      T va[PER], vb[PER];
#pragma unroll
      for (int i = 0; i < PER; ++i) va[i] = as[buf][k][ty + i * SIDE];
#pragma unroll
      for (int j = 0; j < PER; ++j) vb[j] = bs[buf][k][tx + j * SIDE];
#pragma unroll
      for (int i = 0; i < PER; ++i)
#pragma unroll
        for (int j = 0; j < PER; ++j) acc[i][j] += va[i] * vb[j];
    }
    buf ^= 1;  // the other buffer was last read before this iteration's barrier
  }

#pragma unroll
  for (int i = 0; i < PER; ++i) {
    int row = row0 + ty + i * SIDE;
    if (row >= c.rows) continue;
#pragma unroll
    for (int j = 0; j < PER; ++j) {
      int col = col0 + tx + j * SIDE;
      if (col >= c.cols) continue;
      T* out = &c.data[(size_t)row * c.ld + col];
      *out = alpha * acc[i][j] + beta * *out;
    }
  }
}

template <typename T>
void launch(T alpha, Matrix<T> a, Matrix<T> b, T beta, Matrix<T> c) {
  dim3 block(SIDE, SIDE);
  dim3 grid((c.cols + TILE - 1) / TILE, (c.rows + TILE - 1) / TILE);
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
