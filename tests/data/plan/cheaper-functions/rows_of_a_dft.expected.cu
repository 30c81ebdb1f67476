// kernel=dft_rows line=16 finding=KO126
#include <cmath>
#include <cstdio>
#include <vector>

namespace sig {
struct Cpx { double re, im; };

__global__ void dft_rows(const double *in, Cpx *out, const int N, const int rows) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (k >= N) return;
  double re = 0, im = 0;
  for (int n = 0; n < N; ++n) {
    const double x = in[row * N + n];
    double c, s;
    sincospi(-2.0 * k * n / N, &s, &c);
    re += x * c;
    im += x * s;
  }
  out[row * N + k].re = re;
  out[row * N + k].im = im;
}
}

int main() {
  const int N = 100, rows = 7;
  std::vector<double> a(N * rows);
  for (int i = 0; i < N * rows; ++i) a[i] = std::sin(0.37 * i) + (i % 5);
  double *in;
  sig::Cpx *out;
  cudaMalloc(&in, a.size() * sizeof(double));
  cudaMalloc(&out, a.size() * sizeof(sig::Cpx));
  cudaMemcpy(in, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
  sig::dft_rows<<<dim3((N + 95) / 96, rows), 96>>>(in, out, N, rows);
  std::vector<sig::Cpx> r(a.size());
  cudaMemcpy(r.data(), out, a.size() * sizeof(sig::Cpx), cudaMemcpyDeviceToHost);
  for (int row = 0; row < rows; ++row) {
    double time = 0, frequency = 0;
    for (int i = 0; i < N; ++i) {
      const double x = a[row * N + i];
      const sig::Cpx bin = r[row * N + i];
      time += x * x, frequency += (bin.re * bin.re + bin.im * bin.im) / N;
    }
    if (std::fabs(time - frequency) > 1e-9 * time) return std::printf("FAIL %g %g\n", time, frequency), 1;
  }
  std::puts("PASS");
  return 0;
}
