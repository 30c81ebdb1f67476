#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define THREADS 256

/* inclusive scan of one block, double buffered (Hillis & Steele 1986) */
__global__ void scan_block(int *g_out, const int *g_in, int *sums, int n)
{
  extern __shared__ int temp[];
  int tid = threadIdx.x;
  int gid = blockIdx.x*blockDim.x + tid;
  int pout = 0, pin = 1;

  temp[tid] = gid < n ? g_in[gid] : 0;
  __syncthreads();

  for (int offset = 1; offset < blockDim.x; offset *= 2)
  {
    pout = 1 - pout;
    pin = 1 - pout;
    if (tid >= offset)
      temp[pout*blockDim.x + tid] = temp[pin*blockDim.x + tid] + temp[pin*blockDim.x + tid - offset];
    else
      temp[pout*blockDim.x + tid] = temp[pin*blockDim.x + tid];
    __syncthreads();
  }
  if (gid < n) g_out[gid] = temp[pout*blockDim.x + tid];
  if (sums != NULL && tid == blockDim.x - 1) sums[blockIdx.x] = temp[pout*blockDim.x + tid];
}

__global__ void add_offsets(int *data, const int *sums, int n)
{
  int gid = blockIdx.x*blockDim.x + threadIdx.x;
  if (blockIdx.x == 0 || gid >= n) return;
  data[gid] += sums[blockIdx.x - 1];
}

int main(void)
{
  int n = 50003;
  int blocks = (n + THREADS - 1)/THREADS;      /* 196 <= 256 */
  int *in = (int*)malloc(n*sizeof(int)), *out = (int*)malloc(n*sizeof(int));
  unsigned s = 12345u;
  for (int i = 0; i < n; i++) { s = s*1664525u + 1013904223u; in[i] = (int)(s >> 24); }

  int *d_in, *d_out, *d_sums, *d_scan;
  cudaMalloc((void**)&d_in, n*sizeof(int));
  cudaMalloc((void**)&d_out, n*sizeof(int));
  cudaMalloc((void**)&d_sums, blocks*sizeof(int));
  cudaMalloc((void**)&d_scan, blocks*sizeof(int));
  cudaMemcpy(d_in, in, n*sizeof(int), cudaMemcpyHostToDevice);

  size_t sh = 2*THREADS*sizeof(int);
  scan_block<<<blocks, THREADS, sh>>>(d_out, d_in, d_sums, n);
  scan_block<<<1, THREADS, sh>>>(d_scan, d_sums, NULL, blocks);
  add_offsets<<<blocks, THREADS>>>(d_out, d_scan, n);
  cudaMemcpy(out, d_out, n*sizeof(int), cudaMemcpyDeviceToHost);

  int bad = cudaGetLastError() != cudaSuccess, acc = 0;
  for (int i = 0; i < n; i++) {
    acc += in[i];
    if (out[i] != acc) bad++;
  }
  printf("scan_hillis %s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
