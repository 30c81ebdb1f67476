#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(c) do { cudaError_t e_ = (c); if (e_) { puts(cudaGetErrorString(e_)); exit(1); } } while (0)
#define TAPS 9
#define LAUNCH(f, n) f<<<((n) + 127) / 128, 128>>>
__constant__ int taps[TAPS];
__global__ void fir(const int *sig, long long *res, int len) {
  int t = blockIdx.x * 128 + threadIdx.x;
  if (t >= len - TAPS + 1) return;
  long long acc = 0;
  for (int k = 0; k < TAPS; k++) acc += (long long)taps[k] * sig[t + k];
  res[t] = acc;
}
__global__ void half_it(long long *res, int len) {
  int t = blockIdx.x * 128 + threadIdx.x;
  if (t < len) res[t] >>= 1;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 30011;
  int w[TAPS] = {1, -2, 3, -4, 5, -4, 3, -2, 1};
  int *h = (int *)malloc(n * 4), *d; long long *o = (long long *)malloc(n * 8), *r;
  for (int i = 0; i < n; i++) h[i] = (i * 2654435761u) >> 20;
  CHECK(cudaMemcpyToSymbol(taps, w, sizeof w));
  CHECK(cudaMalloc(&d, n * 4)); CHECK(cudaMalloc(&r, n * 8)); CHECK(cudaMemset(r, 0, n * 8));
  CHECK(cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice));
  LAUNCH(fir, n)(d, r, n);
  LAUNCH(half_it, n)(r, n);
  CHECK(cudaMemcpy(o, r, n * 8, cudaMemcpyDeviceToHost));
  long long s = 0; for (int i = 0; i < n; i++) s ^= o[i] * (i + 1);
  printf("%lld\n", s);
  return 0;
}
