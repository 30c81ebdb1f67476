#include <cstdio>
#include <cstdlib>
#include "smooth.cuh"

void make_table(float *d_table, int n);      // table.cu

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1500;
  float *h = new float[n], *a, *b;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
  make_table(a, n);
  for (int round = 0; round < 2; ++round) {
      smooth<<<(n + 63) / 64, 64>>>(a, b, n);
      float *t = a; a = b; b = t;
  }
  cudaMemcpy(h, a, n * 4, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += h[i];
  printf("n=%d sum=%.3f mid=%.4f\n", n, sum, h[n / 2]);
  cudaFree(a); cudaFree(b); delete [] h;
  return 0;
}
