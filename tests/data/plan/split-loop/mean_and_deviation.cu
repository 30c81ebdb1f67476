// kernel=column_stats line=11 finding=KO111
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void column_stats(const double* data, double* mean, double* dev, int n, int m) {
  int col = threadIdx.x + blockIdx.x * 64;
  if (col >= m) return;
  double sum = 0.0;
  // first the mean
  for (int i = 0; i < n; ++i) {
    sum += data[(size_t)i * m + col];
  }
  double mu = sum / n;
  double sq = 0.0, far = 0.0;
  for (int i = 0; i < n; ++i) {
    double d = data[(size_t)i * m + col] - mu;
    sq += d * d;
    far = fmax(far, fabs(d));
  }
  mean[col] = mu;
  dev[col] = sqrt(sq / n) + far * 1e-3;
}

int main() {
  const int n = 150, m = 70;
  std::vector<double> h(n * m), r(2 * m);
  for (int i = 0; i < n * m; ++i) h[i] = (i * 13 % 37) * 0.1;
  double *d, *mean, *dev;
  cudaMalloc(&d, n * m * 8);
  cudaMalloc(&mean, m * 8);
  cudaMalloc(&dev, m * 8);
  cudaMemcpy(d, h.data(), n * m * 8, cudaMemcpyHostToDevice);
  column_stats<<<(m + 63) / 64, 64>>>(d, mean, dev, n, m);
  cudaMemcpy(r.data(), mean, m * 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(r.data() + m, dev, m * 8, cudaMemcpyDeviceToHost);
  double s = 0;
  for (double v : r) s += v;
  printf("%.6f\n", s);
}
