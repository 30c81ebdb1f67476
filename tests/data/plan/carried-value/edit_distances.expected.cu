// kernel=distances line=18 finding=KO120
/* Edit distance of each word to a pattern: one word a thread, a table of its own for each */
#include <stdio.h>
#include <string.h>

#define LEN 16
#define AT(r, c) ((r) * (LEN + 1) + (c))

__global__ void distances(const char *words, const char *pattern, int *tables, int *result, int n) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= n) return;
  int *d = tables + w * (LEN + 1) * (LEN + 1);
  for (int c = 0; c <= LEN; c++) d[AT(0, c)] = c;
  for (int r = 1; r <= LEN; r++) {
    d[AT(r, 0)] = r;
    int d_last = r;
    for (int c = 1; c <= LEN; c++) {
      int change = d[AT(r - 1, c - 1)] + (words[w * LEN + r - 1] != pattern[c - 1]);
      int skip = min(d[AT(r - 1, c)], d_last) + 1;
      d_last = change < skip ? change : skip;
      d[AT(r, c)] = d_last;
    }
  }
  result[w] = d[AT(LEN, LEN)];
}

int main() {
  const int n = 64;
  char words[n * LEN], pattern[LEN + 1] = "emulatedsequence";
  for (int i = 0; i < n * LEN; i++) words[i] = "aeslutmdqnc"[(i * 7 + i / LEN) % 11];
  char *dw, *dp;
  int *dt, *dr, r[n];
  cudaMalloc(&dw, n * LEN);
  cudaMalloc(&dp, LEN);
  cudaMalloc(&dt, n * (LEN + 1) * (LEN + 1) * sizeof(int));
  cudaMalloc(&dr, n * sizeof(int));
  cudaMemcpy(dw, words, n * LEN, cudaMemcpyHostToDevice);
  cudaMemcpy(dp, pattern, LEN, cudaMemcpyHostToDevice);
  distances<<<2, 32>>>(dw, dp, dt, dr, n);
  cudaMemcpy(r, dr, sizeof(r), cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 0; i < n; i++) sum += r[i];
  printf("%d\n", sum);
  cudaFree(dw); cudaFree(dp); cudaFree(dt); cudaFree(dr);
  return 0;
}
