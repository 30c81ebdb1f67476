#include "layernorm.h"
#include "common.h"

static const int kThreads = 128;
static const float kEpsilon = 1e-5f;

/* sum of `value` over the block; every thread gets it */
static __device__ float block_total(float value, float *scratch) {
    scratch[threadIdx.x] = value;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            scratch[threadIdx.x] += scratch[threadIdx.x + half];
        __syncthreads();
    }
    float total = scratch[0];
    __syncthreads();
    return total;
}

/* one block per row, first the average, then the variance around it */
__global__ void row_statistics(const float *x, float *average, float *inv_std, int features) {
    __shared__ float scratch[kThreads];
    const float *row = x + (size_t)blockIdx.x * features;

    float sum = 0.f;
    for (int f = threadIdx.x; f < features; f += kThreads)
        sum += row[f];
    float mean = block_total(sum, scratch) / features;

    float squares = 0.f;
    for (int f = threadIdx.x; f < features; f += kThreads)
        squares += (row[f] - mean) * (row[f] - mean);
    float variance = block_total(squares, scratch) / features;

    if (threadIdx.x == 0) {
        average[blockIdx.x] = mean;
        inv_std[blockIdx.x] = 1.f / sqrtf(variance + kEpsilon);
    }
}

__global__ void apply_norm(const float *x, float *y, const float *average, const float *inv_std,
                           const float *gamma, const float *beta, int rows, int features) {
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (f < features && r < rows) {
        size_t at = (size_t)r * features + f;
        y[at] = gamma[f] * (x[at] - average[r]) * inv_std[r] + beta[f];
    }
}

void layer_norm(const LayerNorm &layer, const float *x, float *y) {
    row_statistics<<<layer.rows, kThreads>>>(x, layer.average, layer.inv_std, layer.features);
    CHECK(cudaGetLastError());

    dim3 block(32, 8);
    dim3 grid((layer.features + 31) / 32, (layer.rows + 7) / 8);
    apply_norm<<<grid, block>>>(x, y, layer.average, layer.inv_std, layer.gamma, layer.beta, layer.rows, layer.features);
    CHECK(cudaGetLastError());
}
