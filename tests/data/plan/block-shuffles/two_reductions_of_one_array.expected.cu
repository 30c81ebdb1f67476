// kernel=standardize line=20 finding=KO115
#include <cuda_runtime.h>

#define WIDTH 128

__global__ void standardize(const float *rows, float *out, int columns)
{
    __shared__ float scratch[WIDTH / 32];
    const float *row = rows + blockIdx.x * columns;
    int t = threadIdx.x;

    float low = row[0];
    for (int c = t; c < columns; c += WIDTH)
        low = fminf(low, row[c]);
    for (int offset = 16; offset > 0; offset /= 2)
        low = fminf(low, __shfl_down_sync(0xffffffff, low, offset));
    if (t % 32 == 0)
        scratch[t / 32] = low;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < WIDTH / 32; warp++)
            low = fminf(low, scratch[warp]);
        scratch[0] = low;
    }
    __syncthreads();
    low = scratch[0];
    __syncthreads();

    double wide = 0;
    for (int c = t; c < columns; c += WIDTH)
        wide += row[c] - low;
    float thread_sum = wide;
    for (int offset = 16; offset > 0; offset /= 2)
        thread_sum += __shfl_down_sync(0xffffffff, thread_sum, offset);
    if (t % 32 == 0)
        scratch[t / 32] = thread_sum;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < WIDTH / 32; warp++)
            thread_sum += scratch[warp];
        scratch[0] = thread_sum;
    }
    __syncthreads();
    float scale = columns / scratch[0];

    for (int c = t; c < columns; c += WIDTH)
        out[blockIdx.x * columns + c] = (row[c] - low) * scale;
}

void run(const float *rows, float *out, int count, int columns)
{
    standardize<<<count, WIDTH>>>(rows, out, columns);
}
