// kernel=mm line=17 finding=KO108 technique=register-tile
#include <cstdio>
#include <cstdlib>
#include <vector>

void ok(cudaError_t status) {
  if (status != cudaSuccess) std::exit(printf("%s\n", cudaGetErrorString(status)));
}

// c = a * b for rows x inner times inner x cols
__global__ void mm(const float* a, const float* b, float* c, int rows, int inner, int cols) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {
    c[row * cols + col] = 0;
    for (int k = 0; k < inner; k++) {
      c[row * cols + col] += a[row * inner + k] * b[k * cols + col];
    }
  }
}

int main(int argc, char** argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 70, inner = argc > 2 ? atoi(argv[2]) : 90, cols = argc > 3 ? atoi(argv[3]) : 110;
  std::vector<float> a(rows * inner), b(inner * cols), c(rows * cols);
  for (size_t i = 0; i < a.size(); i++) a[i] = float(i % 17) / 17;
  for (size_t i = 0; i < b.size(); i++) b[i] = float(i % 11) / 11 - 0.3f;
  float *da, *db, *dc;
  ok(cudaMalloc(&da, a.size() * 4));
  ok(cudaMalloc(&db, b.size() * 4));
  ok(cudaMalloc(&dc, c.size() * 4));
  ok(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
  ok(cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
  dim3 block(16, 16), grid((cols + 15) / 16, (rows + 15) / 16);
  mm<<<grid, block>>>(da, db, dc, rows, inner, cols);
  ok(cudaGetLastError());
  ok(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (float v : c) sum += v;
  printf("%.4f\n", sum);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
