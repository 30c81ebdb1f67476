// The two matrix-vector products of one BiCG iteration: q = A p and s = A^T r.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using std::size_t;

struct CudaDeleter {
  void operator()(double* p) const { cudaFree(p); }
};
using DevicePtr = std::unique_ptr<double, CudaDeleter>;

bool ok(cudaError_t status, const char* step) {
  if (status == cudaSuccess) return true;
  std::fprintf(stderr, "%s: %s\n", step, cudaGetErrorString(status));
  return false;
}

DevicePtr allocate(size_t count) {
  double* p = nullptr;
  if (!ok(cudaMalloc(&p, count * sizeof(double)), "cudaMalloc")) std::exit(1);
  return DevicePtr(p);
}

__global__ void compute_q(const double* a, const double* p, double* q, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  double sum = 0.0;
  for (int j = 0; j < cols; ++j) sum += a[size_t(i) * cols + j] * p[j];
  q[i] = sum;
}

__global__ void compute_s(const double* a, const double* r, double* s, int rows, int cols) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= cols) return;
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) sum += a[size_t(i) * cols + j] * r[i];
  s[j] = sum;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::stoi(argv[1]) : 100;
  const int cols = argc > 2 ? std::stoi(argv[2]) : 120;

  std::vector<double> a(size_t(rows) * cols), p(cols), r(rows), q(rows), s(cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) a[size_t(i) * cols + j] = double((i * (j + 1)) % rows) / rows;
  for (int j = 0; j < cols; ++j) p[j] = double(j % 11) / 11;
  for (int i = 0; i < rows; ++i) r[i] = double(i % 7) / 7;

  DevicePtr da = allocate(a.size()), dp = allocate(cols), dr = allocate(rows), dq = allocate(rows), ds = allocate(cols);
  if (!ok(cudaMemcpy(da.get(), a.data(), a.size() * 8, cudaMemcpyHostToDevice), "copy a")) return 1;
  if (!ok(cudaMemcpy(dp.get(), p.data(), p.size() * 8, cudaMemcpyHostToDevice), "copy p")) return 1;
  if (!ok(cudaMemcpy(dr.get(), r.data(), r.size() * 8, cudaMemcpyHostToDevice), "copy r")) return 1;

  constexpr int threads = 128;
  compute_q<<<(rows + threads - 1) / threads, threads>>>(da.get(), dp.get(), dq.get(), rows, cols);
  compute_s<<<(cols + threads - 1) / threads, threads>>>(da.get(), dr.get(), ds.get(), rows, cols);
  if (!ok(cudaGetLastError(), "launch")) return 1;
  if (!ok(cudaMemcpy(q.data(), dq.get(), q.size() * 8, cudaMemcpyDeviceToHost), "copy q")) return 1;
  if (!ok(cudaMemcpy(s.data(), ds.get(), s.size() * 8, cudaMemcpyDeviceToHost), "copy s")) return 1;

  double q_sum = 0, s_sum = 0;
  for (double v : q) q_sum += v;
  for (double v : s) s_sum += v;
  std::printf("sum q %.10e, sum s %.10e\n", q_sum, s_sum);
  return 0;
}
