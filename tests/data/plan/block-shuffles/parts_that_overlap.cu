// kernel=spread line=19 finding=KO115
#include <cuda_runtime.h>

__global__ void spread(const float *rows, float *means, float *deviations, int columns)
{
    extern __shared__ float scratch[];
    float *sums = scratch;
    float *squares = &sums[blockDim.x / 2];
    const int t = threadIdx.x;
    float sum = 0.0f, square = 0.0f;
    for (int c = t; c < columns; c += blockDim.x) {
        float v = rows[blockIdx.x * columns + c];
        sum += v;
        square += v * v;
    }
    squares[t] = square;
    sums[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) {
            sums[t] += sums[t + half];
            squares[t] += squares[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        float mean = sums[0] / columns;
        means[blockIdx.x] = mean;
        deviations[blockIdx.x] = sqrtf(squares[0] / columns - mean * mean);
    }
}

void run(const float *rows, float *means, float *deviations, int count, int columns)
{
    spread<<<count, 128, 2 * 128 * sizeof(float)>>>(rows, means, deviations, columns);
}
