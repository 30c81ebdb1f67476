// Three transposes: naive, tiled (conflicts), tiled with +1 padding. Odd matrix.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transposeNaive(float *odata, const float *idata, int w, int h) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < w && y + j < h)
      odata[x * h + (y + j)] = idata[(y + j) * w + x];
}

__global__ void transposeCoalesced(float *odata, const float *idata, int w, int h) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;  // transpose block offset
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < h && y + j < w) odata[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposeNoBankConflicts(double *odata, const double *idata, int w, int h) {
  __shared__ double tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
#pragma unroll
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    if (x < w && y + j < h) { tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * w + x]; }
  }
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
#pragma unroll
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    if (x < h && y + j < w) { odata[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j]; }
  }
}

int main() {
  const int w = 211, h = 150, n = w * h;
  std::vector<float> in(n), out(n), out2(n);
  std::vector<double> din(n), dout(n);
  for (int i = 0; i < n; ++i) { in[i] = i; din[i] = i * 0.5; }
  float *a, *b, *c;
  double *p, *q;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float)); cudaMalloc(&c, n * sizeof(float));
  cudaMalloc(&p, n * sizeof(double)); cudaMalloc(&q, n * sizeof(double));
  cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(p, din.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  dim3 grid((w + TILE_DIM - 1) / TILE_DIM, (h + TILE_DIM - 1) / TILE_DIM), block(TILE_DIM, BLOCK_ROWS);
  transposeNaive<<<grid, block>>>(b, a, w, h);
  transposeCoalesced<<<grid, block>>>(c, a, w, h);
  transposeNoBankConflicts<<<grid, block>>>(q, p, w, h);
  cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(out2.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(dout.data(), q, n * sizeof(double), cudaMemcpyDeviceToHost);
  bool ok = cudaGetLastError() == cudaSuccess;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      ok = ok && out[x * h + y] == in[y * w + x] && out2[x * h + y] == in[y * w + x] && dout[x * h + y] == din[y * w + x];
  printf("transpose3 %s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
