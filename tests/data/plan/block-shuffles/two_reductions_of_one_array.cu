// kernel=standardize line=20 finding=KO115
#include <cuda_runtime.h>

#define WIDTH 128

__global__ void standardize(const float *rows, float *out, int columns)
{
    __shared__ float scratch[WIDTH];
    const float *row = rows + blockIdx.x * columns;
    int t = threadIdx.x;

    float low = row[0];
    for (int c = t; c < columns; c += WIDTH)
        low = fminf(low, row[c]);
    scratch[t] = low;
    __syncthreads();
    for (int s = WIDTH / 2; s > 0; s >>= 1) {
        if (t < s) scratch[t] = fminf(scratch[t], scratch[t + s]);
        __syncthreads();
    }
    low = scratch[0];
    __syncthreads();

    double wide = 0;
    for (int c = t; c < columns; c += WIDTH)
        wide += row[c] - low;
    scratch[t] = wide;
    __syncthreads();
    for (int s = WIDTH / 2; s > 0; s >>= 1) {
        if (t < s) scratch[t] += scratch[t + s];
        __syncthreads();
    }
    float scale = columns / scratch[0];

    for (int c = t; c < columns; c += WIDTH)
        out[blockIdx.x * columns + c] = (row[c] - low) * scale;
}

void run(const float *rows, float *out, int count, int columns)
{
    standardize<<<count, WIDTH>>>(rows, out, columns);
}
