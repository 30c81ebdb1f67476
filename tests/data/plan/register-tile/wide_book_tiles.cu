// kernel=mm line=26 finding=KO108
#include <iostream>
#include <vector>

const int TILE_DIM = 32;

__global__ void mm(float *c, const float *a, const float *b, int m, int n, int k)
{
  __shared__ float aTile[TILE_DIM][TILE_DIM];
  __shared__ float bTile[TILE_DIM][TILE_DIM];
  const int row = blockIdx.y * TILE_DIM + threadIdx.y;
  const int col = blockIdx.x * TILE_DIM + threadIdx.x;
  float v = 0.f;
  for (int t = 0; t < (k + TILE_DIM - 1) / TILE_DIM; ++t)
  {
    if (row < m && t * TILE_DIM + threadIdx.x < k)
      aTile[threadIdx.y][threadIdx.x] = a[row * k + t * TILE_DIM + threadIdx.x];
    else
      aTile[threadIdx.y][threadIdx.x] = 0.f;
    if (col < n && t * TILE_DIM + threadIdx.y < k)
      bTile[threadIdx.y][threadIdx.x] = b[(t * TILE_DIM + threadIdx.y) * n + col];
    else
      bTile[threadIdx.y][threadIdx.x] = 0.f;
    __syncthreads();
    for (int i = 0; i < TILE_DIM; ++i)
      v += aTile[threadIdx.y][i] * bTile[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = v;
}

int main()
{
  const int m = 900, n = 1000, k = 60;
  float *a, *b, *c;
  cudaMallocManaged(&a, m * k * sizeof(float));
  cudaMallocManaged(&b, k * n * sizeof(float));
  cudaMallocManaged(&c, m * n * sizeof(float));
  for (int i = 0; i < m * k; ++i) a[i] = (i % 13) * 0.25f;
  for (int i = 0; i < k * n; ++i) b[i] = (i % 7) * 0.5f;
  mm<<<dim3((n + TILE_DIM - 1) / TILE_DIM, (m + TILE_DIM - 1) / TILE_DIM), dim3(TILE_DIM, TILE_DIM)>>>(c, a, b, m, n, k);
  cudaDeviceSynchronize();
  double total = 0;
  for (int i = 0; i < m * n; ++i) total += c[i];
  std::cout << total << std::endl;
}
