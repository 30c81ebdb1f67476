#include <cstdio>
#ifndef N
#define N 8192
#endif
#define TILE_DIM 32
#define BLOCK_ROWS 8
__device__ float in_d[N * (size_t)N], out_d[N * (size_t)N];
__global__ void fill() {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < (size_t)N * N) in_d[i] = (float)(i % 10007);
}
__global__ void transpose() {
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        out_d[(size_t)x * N + (y + j)] = in_d[(size_t)(y + j) * N + x];
}
int main() {
    fill<<<((size_t)N * N + 255) / 256, 256>>>();
    transpose<<<dim3(N / TILE_DIM, N / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>();
    static float h[4];
    cudaMemcpyFromSymbol(h, out_d, sizeof h);
    printf("%g %g\n", h[1], h[2]);
    return cudaGetLastError();
}
