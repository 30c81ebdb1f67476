// Constant-density acoustic wave equation, second order in time, eighth order in space.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int kRadius = 4;
constexpr int kTileX = 32;
constexpr int kTileY = 8;

// A field has a halo of kRadius cells on every side; x is contiguous.
struct Grid {
  int nx, ny, nz;
  __host__ __device__ int stride_y() const { return nx + 2 * kRadius; }
  __host__ __device__ int stride_z() const { return stride_y() * (ny + 2 * kRadius); }
  __host__ __device__ size_t cells() const { return static_cast<size_t>(stride_z()) * (nz + 2 * kRadius); }
  __host__ __device__ int at(int x, int y, int z) const { return (z + kRadius) * stride_z() + (y + kRadius) * stride_y() + x + kRadius; }
};

inline void ok(cudaError_t status, const char* file, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s(%d): %s\n", file, line, cudaGetErrorString(status));
    std::exit(1);
  }
}
#define OK(call) ok((call), __FILE__, __LINE__)

void upload_coefficients();
void propagate(const Grid& grid, const float* current, const float* velocity, float* previous, cudaStream_t stream);
void inject(const Grid& grid, float* field, int x, int y, int z, float amplitude, cudaStream_t stream);
void record(const Grid& grid, const float* field, float* trace, int depth, int every, int receivers, cudaStream_t stream);
