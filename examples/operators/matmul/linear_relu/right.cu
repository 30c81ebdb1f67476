/* kernelopt
[operator]
launcher = "linear_relu"
inputs   = { x = ["m", "k"] }
outputs  = { y = ["m", "24"] }
weights  = { weight = "linear.weight", bias = "linear.bias" }
args     = ["y", "x", "weight", "bias", "m", "24", "k"]
*/
#include <cuda_runtime.h>

#define TILE 16

// Tiles of both matrices in shared memory; what lies outside of a matrix counts as zero.
__global__ void linear_relu_kernel(float* y, const float* x, const float* weight, const float* bias, int m, int n, int k) {
    __shared__ float tile_x[TILE][TILE];
    __shared__ float tile_w[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        int i = start + threadIdx.x;
        int w_row = blockIdx.x * TILE + threadIdx.y;
        tile_x[threadIdx.y][threadIdx.x] = row < m && i < k ? x[row * k + i] : 0.0f;
        tile_w[threadIdx.y][threadIdx.x] = w_row < n && i < k ? weight[w_row * k + i] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TILE; ++j) sum += tile_x[threadIdx.y][j] * tile_w[threadIdx.x][j];
        __syncthreads();
    }
    if (row < m && column < n) {
        float value = sum + bias[column];
        y[row * n + column] = value < 0.0f ? 0.0f : value;  // NaN stays NaN, as in PyTorch; fmaxf would make it 0
    }
}

void linear_relu(float* y, const float* x, const float* weight, const float* bias, int m, int n, int k) {
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    if (m > 0) linear_relu_kernel<<<grid, dim3(TILE, TILE)>>>(y, x, weight, bias, m, n, k);
}
