// kernel=potential line=10 finding=KO123
#include <cmath>
#include <cstdio>

struct Charge { double x, y, q; };

__device__ double share(const Charge &c, double px, double py) {
  const double dx = c.x - px;
  const double dy = c.y - py;
  return c.q / std::sqrt(dx * dx + dy * dy + 1e-6);
}

__global__ void potential(const Charge *charges, int n, double *out, int side) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= side * side) return;
  double sum = 0.0;
  for (int c = 0; c < n; ++c) sum += share(charges[c], (p % side) * 0.1, (p / side) * 0.1);
  out[p] = sum;
}

int main() {
  const int n = 90, side = 24;
  Charge *charges;
  double *out;
  cudaMallocManaged(&charges, n * sizeof(Charge));
  cudaMallocManaged(&out, side * side * sizeof(double));
  for (int c = 0; c < n; ++c) charges[c] = {0.03 * (c % 41), 0.05 * (c % 29), c % 2 ? 1.0 : -0.5};
  potential<<<(side * side + 63) / 64, 64>>>(charges, n, out, side);
  cudaDeviceSynchronize();
  for (int p = 0; p < side * side; ++p) {
    double want = 0;
    for (int c = 0; c < n; ++c) want += charges[c].q / std::hypot(std::hypot(charges[c].x - (p % side) * 0.1, charges[c].y - (p / side) * 0.1), 1e-3);
    if (!(std::fabs(out[p] - want) <= 1e-8 * (1 + std::fabs(want)))) return std::printf("FAIL %d: %g %g\n", p, out[p], want), 1;
  }
  return std::puts("PASS"), 0;
}
