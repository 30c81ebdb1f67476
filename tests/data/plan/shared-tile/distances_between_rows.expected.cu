// kernel=distances line=14 finding=KO108
#include <cstdio>
#include <cmath>
typedef float real;

__global__ void distances(real* d, const real* points, const real* centres, int count, int clusters, int dims)
{
  int c = threadIdx.x + blockDim.x * blockIdx.x;
  int p = threadIdx.y + blockDim.y * blockIdx.y;
  real total = 0;
  __shared__ real points_tile[8][8];
  __shared__ real centres_tile[8][8];
  for (int tile = 0; tile < dims; tile += 8) {
    points_tile[threadIdx.y][threadIdx.x] = p < count && tile + threadIdx.x < dims ? points[p * dims + tile + threadIdx.x] : 0;
    centres_tile[threadIdx.y][threadIdx.x] = c < clusters && tile + threadIdx.y < dims ? centres[(tile + threadIdx.y) * clusters + c] : 0;
    __syncthreads();
    for (int k = tile; k < tile + 8 && k < dims; ++k) {
      real delta = points_tile[threadIdx.y][k - tile] - centres_tile[k - tile][threadIdx.x];
      total += delta * delta;
    }
    __syncthreads();
  }
  if (p >= count || c >= clusters) return;
  d[p * clusters + c] = sqrtf(total);
}

void run(real* d, real* points, real* centres, int count, int clusters, int dims)
{
  dim3 block(8, 8);
  dim3 grid((clusters + block.x - 1) / block.x, (count + block.y - 1) / block.y);
  distances<<<grid, block>>>(d, points, centres, count, clusters, dims);
}

int main()
{
  const int count = 30, clusters = 5, dims = 12;
  real *d, *points, *centres;
  cudaMallocManaged(&d, count * clusters * sizeof(real));
  cudaMallocManaged(&points, count * dims * sizeof(real));
  cudaMallocManaged(&centres, clusters * dims * sizeof(real));
  for (int i = 0; i < count * dims; i++) points[i] = i % dims;
  for (int i = 0; i < clusters * dims; i++) centres[i] = i / clusters + 2;
  run(d, points, centres, count, clusters, dims);
  cudaDeviceSynchronize();
  for (int i = 0; i < count * clusters; i++)
    if (fabsf(d[i] - sqrtf(48.0f)) > 1e-5f) { puts("FAIL"); return 1; }
  puts("PASS");
  return 0;
}
