// kernel=compact line=13 finding=KO119
#include <cstdio>
#define N 2048
#define TPB 128
__device__ int counter;
__global__ void compact(const int *in, int *out, int n) {
  __shared__ int pos[TPB / 32];
  __shared__ int base;
  int idx = threadIdx.x + blockIdx.x * TPB;
  int keep = (idx < n && in[idx] > 0) ? 1 : 0;
  int sum = keep;
  for (int offset = 1; offset < 32; offset *= 2) {
    int left = __shfl_up_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 >= offset)
      sum += left;
  }
  if (threadIdx.x % 32 == 31)
    pos[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int warp = 0; warp < threadIdx.x / 32; warp++)
    sum += pos[warp];
  int total = pos[0];
  for (int warp = 1; warp < TPB / 32; warp++)
    total += pos[warp];
  if (threadIdx.x == 0) base = atomicAdd(&counter, total);
  __syncthreads();
  if (keep) out[base + sum - 1] = in[idx];
}
int main() {
  int *a, *b;
  cudaMallocManaged(&a, N * 4);
  cudaMallocManaged(&b, N * 4);
  for (int i = 0; i < N; i++) a[i] = (i * 37) % 11 - 5;
  compact<<<N / TPB, TPB>>>(a, b, N);
  int c;
  cudaMemcpyFromSymbol(&c, counter, 4);
  printf("%d\n", c);
}
