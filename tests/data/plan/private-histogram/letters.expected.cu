// kernel=countLetters line=11 finding=KO110
#include <stdio.h>
const int LETTERS = 26;

__global__ void countLetters(const char* text, int* counts, int length)
{
  __shared__ int block_counts[LETTERS];
  for (int bin = threadIdx.x; bin < LETTERS; bin += blockDim.x)
    block_counts[bin] = 0;
  __syncthreads();
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < length) {
    char c = text[tid];
    if (c >= 'a' && c <= 'z')
      atomicAdd(&block_counts[c - 'a'], 1);
    else if (c >= 'A' && c <= 'Z')
      atomicAdd(&block_counts[c - 'A'], 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < LETTERS; bin += blockDim.x)
    atomicAdd(&counts[bin], block_counts[bin]);
}

int main() {
    const int n = 20001;
    char *in, *h = new char[n];
    for (int i = 0; i < n; i++) h[i] = 'A' + i * 31 % 58;
    cudaMalloc(&in, n * sizeof(char));
    cudaMemcpy(in, h, n * sizeof(char), cudaMemcpyHostToDevice);
    int* dCounts;
    int counts[LETTERS];
    cudaMalloc(&dCounts, LETTERS * sizeof(int));
    cudaMemset(dCounts, 0, LETTERS * sizeof(int));
    countLetters<<<(n + 511) / 512, 512>>>(in, dCounts, n);
    cudaMemcpy(counts, dCounts, sizeof(counts), cudaMemcpyDeviceToHost);
    for (int i = 0; i < LETTERS; i++) printf("%d ", counts[i]);
    return 0;
}
