// kernel=product line=10 finding=KO108
#include <stdio.h>

constexpr unsigned kTile = 8;

extern "C" __global__ void product(float* out, const float* lhs, const float* rhs, unsigned n)
{
  unsigned col = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  float acc = 0;
  __shared__ float lhsTile[8][8];
  __shared__ float rhsTile[8][8];
  for (int tile = 0; tile < n; tile += 8) {
    lhsTile[threadIdx.y][threadIdx.x] = tile + threadIdx.x < n ? lhs[row * n + tile + threadIdx.x] : 0.0f;
    rhsTile[threadIdx.y][threadIdx.x] = tile + threadIdx.y < n ? rhs[(tile + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
    for (unsigned k = tile; k < tile + 8 && k < n; ++k) {
      acc += lhsTile[threadIdx.y][k - tile] * rhsTile[k - tile][threadIdx.x];
    }
    __syncthreads();
  }
  out[row * n + col] = acc;
}

int main()
{
  const unsigned n = 24;
  float *lhs, *rhs, *out;
  cudaMallocManaged(&lhs, n * n * sizeof(float));
  cudaMallocManaged(&rhs, n * n * sizeof(float));
  cudaMallocManaged(&out, n * n * sizeof(float));
  for (unsigned i = 0; i < n * n; i++) { lhs[i] = i / n; rhs[i] = 1; }
  for (int pass = 0; pass < 2; pass++)
    product<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(out, lhs, rhs, n);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < n * n; i++)
    if (out[i] != n * (i / n)) { printf("FAIL\n"); return 1; }
  printf("PASS\n");
  return 0;
}
