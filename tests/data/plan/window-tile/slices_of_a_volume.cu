// kernel=box_mean line=25 finding=KO108
#include <stdio.h>
#include <stdlib.h>

enum { REACH = 1 };

typedef struct { int nx, ny, nz; } grid_t;

/* mean of the 27 cells around each one; the hull of the volume stays as it is */
__global__ void box_mean(const float *__restrict__ cells, float *__restrict__ means, grid_t g)
{
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x < REACH || x >= g.nx - REACH)
    return;
  if (y < REACH || y >= g.ny - REACH)
    return;
  float weight = 1.0f / 27;
  for (int z = REACH; z < g.nz - REACH; ++z)
  {
    float sum = 0;
    for (int dz = -REACH; dz <= REACH; ++dz)
      for (int dy = -REACH; dy <= REACH; ++dy)
        for (int dx = -REACH; dx <= REACH; ++dx)
          sum += cells[((z + dz) * g.ny + (y + dy)) * g.nx + (x + dx)];
    means[(z * g.ny + y) * g.nx + x] = sum * weight;
  }
}

int main(void)
{
  grid_t g = {70, 27, 9};
  int count = g.nx * g.ny * g.nz;
  float *cells, *means;
  cudaMallocManaged((void **)&cells, count * sizeof(float));
  cudaMallocManaged((void **)&means, count * sizeof(float));
  for (int i = 0; i < count; ++i) {
    cells[i] = (float)(i * 13 % 101);
    means[i] = cells[i];
  }
  dim3 block(32, 8);
  dim3 grid((g.nx + 31) / 32, (g.ny + 7) / 8);
  box_mean<<<grid, block>>>(cells, means, g);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  double total = 0;
  for (int i = 0; i < count; ++i) total += means[i] * (i % 7 + 1);
  printf("%.4f\n", total);
  return 0;
}
