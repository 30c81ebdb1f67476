#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CUDA_OK(x) do { if ((x) != cudaSuccess) { std::printf("cuda error line %d\n", __LINE__); std::exit(2); } } while (0)

template <int TILE>
__global__ void transpose(const float *in, float *out, int w, int h)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < h && y < w) out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

template <int TILE>
void run_transpose(const float *in, float *out, int w, int h)
{
    dim3 grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE), block(TILE, TILE);
    transpose<TILE><<<grid, block>>>(in, out, w, h);
    CUDA_OK(cudaGetLastError());
}
