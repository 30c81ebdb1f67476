#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define chk(ans) do { cudaError_t _e = (ans); if (_e) { printf("GPU error %d line %d\n", _e, __LINE__); exit(-1); } } while(0)

// 5-point Jacobi for Laplace on (n+2)x(n+2), boundary included
__global__ void jacobi_step(const float* __restrict__ old_grid, float* __restrict__ new_grid, int n) {
  int col = threadIdx.x + blockIdx.x * blockDim.x + 1;
  int row = threadIdx.y + blockIdx.y * blockDim.y + 1;
  int pitch = n + 2;
  if (col <= n && row <= n) {
    new_grid[row * pitch + col] = 0.25f * (old_grid[(row - 1) * pitch + col] + old_grid[(row + 1) * pitch + col] +
                                           old_grid[row * pitch + col - 1] + old_grid[row * pitch + col + 1]);
  }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 126;
  int iterations = argc > 2 ? atoi(argv[2]) : 10;
  size_t cells = size_t(n + 2) * (n + 2);

  std::vector<float> grid(cells, 0.f);
  for (int i = 0; i < n + 2; i++) {
    grid[i] = sinf(3.14159265f * i / (n + 1));
    grid[(n + 1) * size_t(n + 2) + i] = grid[i] * expf(-3.14159265f);
  }

  float *a, *b;
  chk(cudaMalloc(&a, cells * sizeof(float)));
  chk(cudaMalloc(&b, cells * sizeof(float)));
  chk(cudaMemcpy(a, grid.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  chk(cudaMemcpy(b, grid.data(), cells * sizeof(float), cudaMemcpyHostToDevice));

  dim3 block(16, 16), blocks((n + 15) / 16, (n + 15) / 16);
  for (int it = 0; it < iterations; it++) {
    jacobi_step<<<blocks, block>>>(a, b, n);
    std::swap(a, b);
  }
  chk(cudaGetLastError());
  chk(cudaMemcpy(grid.data(), a, cells * sizeof(float), cudaMemcpyDeviceToHost));

  double sum = 0;
  for (float v : grid) sum += v;
  printf("after %d iterations: sum %.5f, centre of row 1 %.6f\n", iterations, sum, grid[(n + 2) + n / 2]);
  chk(cudaFree(a));
  chk(cudaFree(b));
  return 0;
}
