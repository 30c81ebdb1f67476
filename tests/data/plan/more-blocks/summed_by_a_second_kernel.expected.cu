// kernel=squares line=6 finding=KO111
#include <stdio.h>
#include <stdlib.h>
const int NB = 256;

__global__ void squares(const int *v, long long *sums, int n)
{
  long long s = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += NB * blockDim.x) s += (long long)v[i] * v[i];
  __shared__ long long all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  atomicAdd((unsigned long long *)&all, (unsigned long long)s);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

__global__ void together(long long *sums)
{
  __shared__ long long s[NB];
  s[threadIdx.x] = sums[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < NB; i++) s[0] += s[i];
    sums[0] = s[0];
  }
}

int main()
{
  int n = 1 << 20, *v = (int *)malloc(n * sizeof(int)), *d;
  long long *sums, total;
  for (int i = 0; i < n; i++) v[i] = i % 100 - 50;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&sums, NB * sizeof(long long));
  cudaMemcpy(d, v, n * sizeof(int), cudaMemcpyHostToDevice);
  squares<<<NB, 256>>>(d, sums, n);
  together<<<1, NB>>>(sums);
  cudaMemcpy(&total, sums, sizeof(total), cudaMemcpyDeviceToHost);
  printf("%lld\n", total);
}
