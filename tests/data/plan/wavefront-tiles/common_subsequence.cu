// kernel=lcs_step line=45 finding=KO125
/* longest common subsequence, short table with a zero border that the kernel writes, macros for cells */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define LEN_A 157
#define LEN_B 90
#define AT(i, j) ((i) * (LEN_B + 1) + (j))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

__global__ void lcs_step(short* L, const unsigned char* x, const unsigned char* y, int k, int lo, int count) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t < count) {
    int i = lo + t;
    int j = k - i;
    if (i == 0 || j == 0) {
      L[AT(i, j)] = 0;
    } else if (x[i - 1] == y[j - 1]) {
      L[AT(i, j)] = L[AT(i - 1, j - 1)] + 1;
    } else {
      short u = L[AT(i - 1, j)];
      short l = L[AT(i, j - 1)];
      L[AT(i, j)] = u > l ? u : l;
    }
  }
}

int main() {
  static unsigned char x[LEN_A], y[LEN_B];
  for (int i = 0; i < LEN_A; ++i) x[i] = (i * 7 + i / 3) % 4;
  for (int j = 0; j < LEN_B; ++j) y[j] = (j * 5 + j / 2) % 4;
  size_t size = (size_t)(LEN_A + 1) * (LEN_B + 1) * sizeof(short);
  short *L, *h = (short*)malloc(size);
  unsigned char *dx, *dy;
  cudaMalloc((void**)&L, size);
  cudaMalloc((void**)&dx, LEN_A);
  cudaMalloc((void**)&dy, LEN_B);
  cudaMemcpy(dx, x, LEN_A, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y, LEN_B, cudaMemcpyHostToDevice);
  for (int k = 0; k <= LEN_A + LEN_B; ++k) {
    int lo = MAX(0, k - LEN_B);
    int hi = MIN(k, LEN_A);
    lcs_step<<<(hi - lo + 1 + 63) / 64, 64>>>(L, dx, dy, k, lo, hi - lo + 1);
    if (cudaGetLastError() != cudaSuccess) return 1;
  }
  cudaMemcpy(h, L, size, cudaMemcpyDeviceToHost);
  printf("%d\n", h[AT(LEN_A, LEN_B)]);
  return 0;
}
