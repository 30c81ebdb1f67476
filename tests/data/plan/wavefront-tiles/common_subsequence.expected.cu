// kernel=lcs_step line=45 finding=KO125
/* longest common subsequence, short table with a zero border that the kernel writes, macros for cells */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define LEN_A 157
#define LEN_B 90
#define AT(i, j) ((i) * (LEN_B + 1) + (j))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define TILE 32

// Each block fills a tile of the table, and a launch the diagonal `k` of tiles.
__global__ void lcs_step(short* L, const unsigned char* x, const unsigned char* y, int k, int first_tile) {
  __shared__ short tile[TILE + 1][TILE + 2];
  int tid = threadIdx.x;
  int i0 = (first_tile + blockIdx.x) * TILE;
  int j0 = (k - first_tile - blockIdx.x) * TILE;
  int i = i0 + tid;

  // what the tiles above and to the left have stored next to this one
  if (i <= LEN_A && j0 > 0)
    tile[tid + 1][0] = L[AT(i, j0 - 1)];
  if (j0 + tid <= LEN_B && i0 > 0)
    tile[0][tid + 1] = L[AT(i0 - 1, j0 + tid)];
  if (tid == 0 && i0 > 0 && j0 > 0)
    tile[0][0] = L[AT(i0 - 1, j0 - 1)];
  __syncthreads();

  for (int step = 0; step < 2 * TILE - 1; step++) {
    int c = step - tid;
    int j = j0 + c;
    if (c >= 0 && c < TILE && i <= LEN_A && j <= LEN_B) {
      if (i == 0 || j == 0) {
        tile[tid + 1][c + 1] = 0;
      } else if (x[i - 1] == y[j - 1]) {
        tile[tid + 1][c + 1] = tile[tid][c] + 1;
      } else {
        short u = tile[tid][c + 1];
        short l = tile[tid + 1][c];
        tile[tid + 1][c + 1] = u > l ? u : l;
      }
    }
    __syncthreads();
  }

  if (j0 + tid <= LEN_B)
    for (int r = 0; r < TILE && i0 + r <= LEN_A; r++)
      L[AT(i0 + r, j0 + tid)] = tile[r + 1][tid + 1];
}

int main() {
  static unsigned char x[LEN_A], y[LEN_B];
  for (int i = 0; i < LEN_A; ++i) x[i] = (i * 7 + i / 3) % 4;
  for (int j = 0; j < LEN_B; ++j) y[j] = (j * 5 + j / 2) % 4;
  size_t size = (size_t)(LEN_A + 1) * (LEN_B + 1) * sizeof(short);
  short *L, *h = (short*)malloc(size);
  unsigned char *dx, *dy;
  cudaMalloc((void**)&L, size);
  cudaMalloc((void**)&dx, LEN_A);
  cudaMalloc((void**)&dy, LEN_B);
  cudaMemcpy(dx, x, LEN_A, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y, LEN_B, cudaMemcpyHostToDevice);
  int tile_rows = (LEN_A + TILE) / TILE;
  int tile_columns = (LEN_B + TILE) / TILE;
  for (int k = 0; k < tile_rows + tile_columns - 1; ++k) {
    int first = k < tile_columns ? 0 : k - tile_columns + 1;
    int last = k < tile_rows ? k : tile_rows - 1;
    lcs_step<<<last - first + 1, TILE>>>(L, dx, dy, k, first);
    if (cudaGetLastError() != cudaSuccess) return 1;
  }
  cudaMemcpy(h, L, size, cudaMemcpyDeviceToHost);
  printf("%d\n", h[AT(LEN_A, LEN_B)]);
  return 0;
}
