// kernel=variance line=9 finding=KO115
#include <cuda_runtime.h>
#define T 64

__device__ float block_sum(float v, float *scratch)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v += scratch[1];
        scratch[0] = v;
    }
    __syncthreads();
    return scratch[0];
}

__global__ void variance(const float *x, float *out, int rows, int cols)
{
    __shared__ float buffer[T];
    const int row = blockIdx.y * gridDim.x + blockIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += T)
        sum += x[row * cols + c];
    float mean = block_sum(sum, buffer) / cols;
    if (threadIdx.x == 0)
        out[row] = mean;
}

void run(const float *x, float *out, int rows, int cols)
{
    variance<<<dim3(32, (rows + 31) / 32), T>>>(x, out, rows, cols);
}
