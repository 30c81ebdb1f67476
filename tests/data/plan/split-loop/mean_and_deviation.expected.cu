// kernel=column_stats line=11 finding=KO111
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void column_stats(const double* data, double* mean, double* dev, int n, int m) {
  int col = blockIdx.x * 32 + threadIdx.x;
  double sum = 0.0;
  // first the mean
  if (col < m)
    for (int i = threadIdx.y; i < n; i += 16) {
      sum += data[(size_t)i * m + col];
    }
  __shared__ double sum_parts[16][32];
  sum_parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = sum_parts[0][threadIdx.x];
  for (int part = 1; part < 16; part++) sum += sum_parts[part][threadIdx.x];
  double mu = sum / n;
  double sq = 0.0, far = 0.0;
  if (col < m)
    for (int i = threadIdx.y; i < n; i += 16) {
      double d = data[(size_t)i * m + col] - mu;
      sq += d * d;
      far = fmax(far, fabs(d));
    }
  __shared__ double sq_parts[16][32];
  __shared__ double far_parts[16][32];
  sq_parts[threadIdx.y][threadIdx.x] = sq;
  far_parts[threadIdx.y][threadIdx.x] = far;
  __syncthreads();
  sq = sq_parts[0][threadIdx.x];
  far = far_parts[0][threadIdx.x];
  for (int part = 1; part < 16; part++) {
    sq += sq_parts[part][threadIdx.x];
    far = fmax(far, far_parts[part][threadIdx.x]);
  }
  if (threadIdx.y == 0 && col < m) {
    mean[col] = mu;
    dev[col] = sqrt(sq / n) + far * 1e-3;
  }
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
  column_stats<<<(m + 31) / 32, dim3(32, 16)>>>(d, mean, dev, n, m);
  cudaMemcpy(r.data(), mean, m * 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(r.data() + m, dev, m * 8, cudaMemcpyDeviceToHost);
  double s = 0;
  for (double v : r) s += v;
  printf("%.6f\n", s);
}
