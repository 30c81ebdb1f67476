// kernel=maxima line=27 finding=KO115
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

constexpr int kBlock = 512;

// largest absolute value of each row
__global__ void maxima(const int* table, int* largest, int cols) {
  __shared__ int best[kBlock / 32];
  const int* row = table + blockIdx.x * cols;
  int mine = 0;
  for (int c = threadIdx.x; c < cols; c += kBlock) mine = max(mine, abs(row[c]));
  for (int offset = 16; offset > 0; offset /= 2)
    mine = max(mine, __shfl_down_sync(0xffffffff, mine, offset));
  if (threadIdx.x % 32 == 0)
    best[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp_index = 1; warp_index < kBlock / 32; warp_index++)
      mine = max(mine, best[warp_index]);
    largest[blockIdx.x] = mine;
  }
}

int main(int argc, char** argv) {
  int rows = argc > 1 ? std::atoi(argv[1]) : 20, cols = argc > 2 ? std::atoi(argv[2]) : 1500;
  std::vector<int> table(rows * cols), largest(rows);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<int>(i * 2654435761u % 20011) - 10000;
  int *d_table, *d_largest;
  cudaMalloc(&d_table, table.size() * sizeof(int));
  cudaMalloc(&d_largest, rows * sizeof(int));
  cudaMemcpy(d_table, table.data(), table.size() * sizeof(int), cudaMemcpyHostToDevice);
  maxima<<<rows, kBlock>>>(d_table, d_largest, cols);
  if (cudaGetLastError() != cudaSuccess) return 1;
  cudaMemcpy(largest.data(), d_largest, rows * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", *std::max_element(largest.begin(), largest.end()));
  cudaFree(d_table);
  cudaFree(d_largest);
}
