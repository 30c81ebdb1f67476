// kernel=spread line=19 finding=KO115
#include <cuda_runtime.h>

__global__ void spread(const float *rows, float *means, float *deviations, int columns)
{
    extern __shared__ float scratch[];
    float *sums = scratch;
    float *squares = &sums[blockDim.x];
    const int t = threadIdx.x;
    float sum = 0.0f, square = 0.0f;
    for (int c = t; c < columns; c += blockDim.x) {
        float v = rows[blockIdx.x * columns + c];
        sum += v;
        square += v * v;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        square += __shfl_down_sync(0xffffffff, square, offset);
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (t % 32 == 0) {
        squares[t / 32] = square;
        sums[t / 32] = sum;
    }
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < 4; warp++) {
            square += squares[warp];
            sum += sums[warp];
        }
        float mean = sum / columns;
        means[blockIdx.x] = mean;
        deviations[blockIdx.x] = sqrtf(square / columns - mean * mean);
    }
}

void run(const float *rows, float *means, float *deviations, int count, int columns)
{
    spread<<<count, 128, 2 * 128 * sizeof(float)>>>(rows, means, deviations, columns);
}
