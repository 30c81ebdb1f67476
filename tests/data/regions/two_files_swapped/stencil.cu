#include "stencil.cuh"

__global__ void diffuse(const double* in, double* out, int nx, int ny, double k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  int p = j * nx + i;
  if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) { out[p] = in[p]; return; }
  out[p] = in[p] + k * (in[p - 1] + in[p + 1] + in[p - nx] + in[p + nx] - 4 * in[p]);
}
__global__ void cool(double* f, int nx, int ny, double factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j < ny) f[j * nx + i] *= factor;
}
