#include "wave.h"

// Second derivative, eighth order: centre, then distances 1 to 4. The centre is for all three axes.
static const float kHost[kRadius + 1] = {-3.0f * 205.0f / 72.0f, 8.0f / 5.0f, -1.0f / 5.0f, 8.0f / 315.0f, -1.0f / 560.0f};
__constant__ float c[kRadius + 1];

void upload_coefficients() { OK(cudaMemcpyToSymbol(c, kHost, sizeof(kHost))); }

// Marches along z: neighbours along z in registers, the current plane in shared memory.
// velocity holds (v dt / h)^2. The new field replaces the previous one.
__global__ void __launch_bounds__(kTileX* kTileY)
step(Grid grid, const float* __restrict__ current, const float* __restrict__ velocity, float* __restrict__ previous) {
  __shared__ float plane[kTileY + 2 * kRadius][kTileX + 2 * kRadius];

  const int x = blockIdx.x * kTileX + threadIdx.x;
  const int y = blockIdx.y * kTileY + threadIdx.y;
  const int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
  const int sy = grid.stride_y(), sz = grid.stride_z();
  const bool inside = x < grid.nx && y < grid.ny;

  // threads past the edge load the halo
  int i = grid.at(min(x, grid.nx + kRadius - 1), min(y, grid.ny + kRadius - 1), 0);
  float behind[kRadius], front[kRadius];
#pragma unroll
  for (int k = 0; k < kRadius; ++k) behind[k] = current[i - (k + 1) * sz];
  float centre = current[i];
#pragma unroll
  for (int k = 0; k < kRadius; ++k) front[k] = current[i + (k + 1) * sz];

  for (int z = 0; z < grid.nz; ++z) {
    __syncthreads();
    plane[ty][tx] = centre;
    if (threadIdx.y < kRadius) {
      plane[threadIdx.y][tx] = current[i - kRadius * sy];
      const int below = min(kTileY, grid.ny + kRadius - 1 - y);
      plane[threadIdx.y + kTileY + kRadius][tx] = current[i + below * sy];
    }
    if (threadIdx.x < kRadius) {
      plane[ty][threadIdx.x] = current[i - kRadius];
      const int right = min(kTileX, grid.nx + kRadius - 1 - x);
      plane[ty][threadIdx.x + kTileX + kRadius] = current[i + right];
    }
    __syncthreads();

    float laplace = c[0] * centre;
#pragma unroll
    for (int k = 1; k <= kRadius; ++k)
      laplace += c[k] * (plane[ty][tx - k] + plane[ty][tx + k] + plane[ty - k][tx] + plane[ty + k][tx] + behind[k - 1] + front[k - 1]);
    if (inside) previous[i] = 2.0f * centre - previous[i] + velocity[i] * laplace;

#pragma unroll
    for (int k = kRadius - 1; k > 0; --k) behind[k] = behind[k - 1];
    behind[0] = centre;
    centre = front[0];
#pragma unroll
    for (int k = 0; k < kRadius - 1; ++k) front[k] = front[k + 1];
    i += sz;
    if (z + 1 < grid.nz) front[kRadius - 1] = current[i + kRadius * sz];
  }
}

__global__ void inject_kernel(float* field, int i, float amplitude) { field[i] += amplitude; }

__global__ void record_kernel(Grid grid, const float* __restrict__ field, float* __restrict__ trace, int depth, int every, int receivers) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < receivers) trace[r] = field[grid.at(r * every % grid.nx, grid.ny / 2, depth)];
}

void propagate(const Grid& grid, const float* current, const float* velocity, float* previous, cudaStream_t stream) {
  const dim3 block(kTileX, kTileY);
  const dim3 blocks((grid.nx + kTileX - 1) / kTileX, (grid.ny + kTileY - 1) / kTileY);
  step<<<blocks, block, 0, stream>>>(grid, current, velocity, previous);
  OK(cudaGetLastError());
}

void inject(const Grid& grid, float* field, int x, int y, int z, float amplitude, cudaStream_t stream) {
  inject_kernel<<<1, 1, 0, stream>>>(field, grid.at(x, y, z), amplitude);
  OK(cudaGetLastError());
}

void record(const Grid& grid, const float* field, float* trace, int depth, int every, int receivers, cudaStream_t stream) {
  record_kernel<<<(receivers + 127) / 128, 128, 0, stream>>>(grid, field, trace, depth, every, receivers);
  OK(cudaGetLastError());
}
