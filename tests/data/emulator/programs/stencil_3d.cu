// A 3-D heat stencil: dim3 grids, restrict, ternaries, pointer swap.
#include <cstdio>
#include <cstdlib>
#include <utility>
#define IDX(x, y, z) ((z) * ny * nx + (y) * nx + (x))
__global__ void heat(const double* __restrict__ u, double* __restrict__ v, int nx, int ny, int nz, const double c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  const bool edge = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1; const double m = u[IDX(x, y, z)];
  v[IDX(x, y, z)] = edge ? m : m + c * (u[IDX(x - 1, y, z)] + u[IDX(x + 1, y, z)] + u[IDX(x, y - 1, z)] + u[IDX(x, y + 1, z)] + u[IDX(x, y, z - 1)] + u[IDX(x, y, z + 1)] - 6.0 * m);
}
int main() {
  const int nx = 20, ny = 12, nz = 9, n = nx * ny * nz; double *h = new double[n](), *a, *b; h[IDX(10, 6, 4)] = 64; cudaMalloc(&a, n * sizeof *a); cudaMalloc(&b, n * sizeof *b); cudaMemcpy(a, h, n * sizeof *h, cudaMemcpyHostToDevice); cudaMemset(b, 0, n * sizeof *b); dim3 block(8, 4, 2), grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, (nz + block.z - 1) / block.z);
  for (int t = 0; t < 2; t++) { heat<<<grid, block>>>(a, b, nx, ny, nz, 0.125); std::swap(a, b); } cudaMemcpy(h, a, n * sizeof *h, cudaMemcpyDeviceToHost); bool ok = h[IDX(10, 6, 4)] == 64 * (0.25 * 0.25 + 6 * 0.125 * 0.125) && h[IDX(12, 6, 4)] == 1 && h[IDX(11, 7, 4)] == 2; double s = 0; for (int i = 0; i < n; i++) s += h[i]; printf("stencil_3d %s\n", ok && s == 64 ? "PASS" : "FAIL"); delete[] h; return !ok;
}
