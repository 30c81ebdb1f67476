// kernel=compact line=13 finding=KO119
#include <cstdio>
#define N 2048
#define TPB 128
__device__ int counter;
__global__ void compact(const int *in, int *out, int n) {
  __shared__ int pos[TPB];
  __shared__ int base;
  int idx = threadIdx.x + blockIdx.x * TPB;
  int keep = (idx < n && in[idx] > 0) ? 1 : 0;
  pos[threadIdx.x] = keep;
  __syncthreads();
  for (int k = 1; k < TPB; k = k * 2) {
    int add = (threadIdx.x >= k) ? pos[threadIdx.x - k] : 0;
    __syncthreads();
    pos[threadIdx.x] += add;
    __syncthreads();
  }
  if (threadIdx.x == 0) base = atomicAdd(&counter, pos[TPB - 1]);
  __syncthreads();
  if (keep) out[base + pos[threadIdx.x] - 1] = in[idx];
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
