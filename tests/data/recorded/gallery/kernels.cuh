#pragma once
#include <cuda_runtime.h>

struct Box { int width, height; float cell; };

// turns an image; reads rows, writes columns
__global__ void turn(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

// running value lives in global memory
__global__ void row_sums(float *sums, float *m, Box box)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < box.height) {
        sums[row] = 0.0f;
        for (int k = 0; k < box.width; k++)
            sums[row] += m[row * box.width + k];
    }
}

// one number a block
__global__ void block_total(float *totals, const float *v, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? v[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) totals[blockIdx.x] = part[0];
}

// doubles by accident
__global__ void curve(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.5 * x[i] * x[i] + 1.25 * x[i] - 3.75;
}

// powers that are products
__global__ void energy(float *e, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        e[i] = 0.5f * powf(v[i], 2.0f);
}

// columns of a tile: every lane in the same bank
__global__ void tile_turn(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

// the same weights again for every element, because out might be one of them
__global__ void smooth(float *out, float *in, float *w, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int c = 0; c < 8; c++) {
            float a = 0.0f;
            for (int k = 0; k < taps; k++)
                a += w[k] * in[(i + k) % n];
            out[c * n + i] = a * w[0];
        }
}
