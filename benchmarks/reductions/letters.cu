#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// count letters of a text
const int LETTERS = 26;

__global__ void countLetters(const char* text, int* counts, int length)
{
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= length) return;
  char c = text[tid];
  if (c >= 'a' && c <= 'z')
    atomicAdd(&counts[c - 'a'], 1);
  else if (c >= 'A' && c <= 'Z')
    atomicAdd(&counts[c - 'A'], 1);
}

int main(int argc, char** argv)
{
  int length = argc > 1 ? atoi(argv[1]) : 150001;
  char* text = (char*)malloc(length);
  unsigned s = 1;
  for (int i = 0; i < length; i++) { s = s * 1103515245u + 12345u; text[i] = (s >> 16) % 5 ? 'a' + (s >> 20) % 26 : ' '; }
  char* dText; int* dCounts; int counts[LETTERS];
  cudaMalloc(&dText, length);
  cudaMalloc(&dCounts, LETTERS * sizeof(int));
  cudaMemset(dCounts, 0, LETTERS * sizeof(int));
  cudaMemcpy(dText, text, length, cudaMemcpyHostToDevice);
  int threads = 512, blocks = (length + threads - 1) / threads;
  countLetters<<<blocks, threads>>>(dText, dCounts, length);
  cudaMemcpy(counts, dCounts, sizeof(counts), cudaMemcpyDeviceToHost);
  for (int i = 0; i < LETTERS; i++) printf("%c %d\n", 'a' + i, counts[i]);
  cudaFree(dText); cudaFree(dCounts); free(text);
  return 0;
}
