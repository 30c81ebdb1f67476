// kernel=transposeNaive line=15 finding=KO101
#include <cstdio>
#include <vector>


#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transposeNaive(float *odata, const float *idata, int width)
{
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y+j)*width + x];
  __syncthreads();
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    int x_out = blockIdx.x * TILE_DIM + threadIdx.y + j;
    int y_out = blockIdx.y * TILE_DIM + threadIdx.x;
    odata[x_out*width + y_out] = tile[threadIdx.x][threadIdx.y + j];
  }
}

int main()
{
  const int n = 128;
  std::vector<float> h(n * n), r(n * n);
  for (int i = 0; i < n * n; i++) h[i] = i;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemcpy(in, h.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  dim3 grid(n/TILE_DIM, n/TILE_DIM), block(TILE_DIM, BLOCK_ROWS);
  transposeNaive<<<grid, block>>>(out, in, n);
  cudaMemcpy(r.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) bad += r[i * n + j] != h[j * n + i];
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
