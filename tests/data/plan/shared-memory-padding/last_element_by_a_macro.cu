// kernel=scan_block line=20 finding=KO103
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256
#define ITEMS (2*THREADS)
#define LAST temp[ITEMS-1]

__global__ void scan_block(int *data, int *sums) {
  __shared__ int temp[ITEMS];
  int tid = threadIdx.x, offset = 1;
  int *mine = data + blockIdx.x*ITEMS;
  temp[2*tid] = mine[2*tid];
  temp[2*tid+1] = mine[2*tid+1];
  for (int d = ITEMS>>1; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int ai = offset*(2*tid+1)-1;
      int bi = offset*(2*tid+2)-1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (tid == 0) {
    sums[blockIdx.x] = LAST;
    LAST = 0;
  }
  for (int d = 1; d < ITEMS; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int ai = offset*(2*tid+1)-1;
      int bi = offset*(2*tid+2)-1;
      int t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  mine[2*tid] = temp[2*tid];
  mine[2*tid+1] = temp[2*tid+1];
}

int main() {
  int blocks = 3, n = blocks*ITEMS, bad = 0;
  int *h = (int *)malloc(n*sizeof(int)), *r = (int *)malloc(n*sizeof(int)), *d, *s;
  for (int i = 0; i < n; i++) h[i] = i*7 % 11;
  cudaMalloc((void **)&d, n*sizeof(int));
  cudaMalloc((void **)&s, blocks*sizeof(int));
  cudaMemcpy(d, h, n*sizeof(int), cudaMemcpyHostToDevice);
  scan_block<<<blocks, THREADS>>>(d, s);
  cudaMemcpy(r, d, n*sizeof(int), cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; b++)
    for (int i = 0, sum = 0; i < ITEMS; sum += h[b*ITEMS + i++]) bad += r[b*ITEMS + i] != sum;
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
