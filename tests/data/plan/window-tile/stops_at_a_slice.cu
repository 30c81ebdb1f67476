// kernel=box_mean line=26 finding=KO108
#include <stdio.h>
#include <stdlib.h>

enum { REACH = 1 };

typedef struct { int nx, ny, nz; } grid_t;

/* mean of the 27 cells around each one; the hull of the volume stays as it is */
__global__ void box_mean(const float *__restrict__ cells, float *__restrict__ means, const int *stop, grid_t g)
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
    if (z % stop[x] == 0) break;
    float sum = 0;
    for (int dz = -REACH; dz <= REACH; ++dz)
      for (int dy = -REACH; dy <= REACH; ++dy)
        for (int dx = -REACH; dx <= REACH; ++dx)
          sum += cells[((z + dz) * g.ny + (y + dy)) * g.nx + (x + dx)];
    means[(z * g.ny + y) * g.nx + x] = sum * weight;
  }
}

void run(const float *cells, float *means, const int *stop, grid_t g)
{
  box_mean<<<dim3((g.nx + 31) / 32, (g.ny + 7) / 8), dim3(32, 8)>>>(cells, means, stop, g);
}
