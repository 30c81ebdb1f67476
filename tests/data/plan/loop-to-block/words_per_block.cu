// kernel=countLengths line=15 finding=KO122
#include <iostream>
#include <vector>

constexpr int BINS = 128;
constexpr int THREADS = 256;

// How often each word length occurs, collected per block first.
__global__ void countLengths(const int* lengths, int words, unsigned* histogram)
{
  __shared__ unsigned local[BINS];
  const int tid = threadIdx.x;

  if (tid == 0)
    for (int b = 0; b < BINS; ++b)
      local[b] = 0;
  __syncthreads();

  for (int w = blockIdx.x * THREADS + tid; w < words; w += gridDim.x * THREADS)
    atomicAdd(&local[min(lengths[w], BINS - 1)], 1u);
  __syncthreads();

  if (tid == 0)
    for (int b = 0; b < BINS; ++b)
      atomicAdd(&histogram[b], local[b]);
}

int main()
{
  const int words = 60000;
  std::vector<int> lengths(words);
  unsigned state = 7;
  for (int& length : lengths) {
    state = state * 1103515245u + 12345u;
    length = 1 + (state >> 20) % 40 * ((state >> 16) & 3);
  }
  int* dLengths;
  unsigned* dHistogram;
  cudaMalloc(&dLengths, words * sizeof(int));
  cudaMalloc(&dHistogram, BINS * sizeof(unsigned));
  cudaMemcpy(dLengths, lengths.data(), words * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(dHistogram, 0, BINS * sizeof(unsigned));
  countLengths<<<48, THREADS>>>(dLengths, words, dHistogram);
  std::vector<unsigned> histogram(BINS);
  cudaMemcpy(histogram.data(), dHistogram, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost);
  unsigned long long total = 0;
  for (int b = 0; b < BINS; ++b) total += (b + 1ull) * histogram[b];
  std::cout << total << "\n";
  cudaFree(dLengths);
  cudaFree(dHistogram);
}
