// Host threads of OpenMP that launch kernels, timing with omp, reductions on the host.
#include <omp.h>
#include <cstdio>
#include <vector>
__global__ void scale(double* v, double f, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) v[i] *= f; }
int main() {
  const int n = 256; double total = 0, start = omp_get_wtime(); int failures = 0;
#pragma omp parallel for num_threads(2) reduction(+ : total, failures)
  for (int part = 0; part < 4; part++) { double* d; std::vector<double> h(n, part + 1.0); failures += cudaMalloc(&d, n * sizeof(double)) != cudaSuccess; cudaMemcpy(d, h.data(), n * sizeof(double), cudaMemcpyHostToDevice); scale<<<1, 64>>>(d, 2.0, n); cudaMemcpy(h.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost); for (double x : h) total += x; cudaFree(d); }
  bool ok = total == 2.0 * n * (1 + 2 + 3 + 4) && !failures && omp_get_wtime() >= start; printf("openmp_host %s\n", ok ? "PASS" : "FAIL"); return !ok;
}
