// Tiled transpose. Global accesses are coalesced; bottleneck: reading the tile by columns hits one shared-memory bank 32 times.
#include <cstdio>
#include <vector>

constexpr int TILE = 32;
constexpr int ROWS = 8;

template <typename T>
__global__ void transposeTiled(T* __restrict__ out, const T* __restrict__ in, int n) {
  __shared__ T tile[TILE][TILE];

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];

  __syncthreads();

  x = blockIdx.y * TILE + threadIdx.x;  // transposed block
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int n = 512;
  std::vector<float> h(n * n), r(n * n);
  for (int i = 0; i < n * n; i++) h[i] = i * 0.5f;
  float *a, *b;
  cudaMalloc((void**)&a, n * n * sizeof(float));
  cudaMalloc((void**)&b, n * n * sizeof(float));
  cudaMemcpy(a, h.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  transposeTiled<float><<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(b, a, n);
  cudaMemcpy(r.data(), b, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) bad += r[i * n + j] != h[j * n + i];
  printf("%s\n", bad ? "FAIL" : "PASS");
  cudaFree(a);
  cudaFree(b);
  return bad != 0;
}
