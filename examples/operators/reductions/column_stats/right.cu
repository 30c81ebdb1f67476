/* kernelopt
[operator]
launcher = "column_stats"
inputs   = { x = ["n", "m"] }
outputs  = { mean = ["m"], variance = ["m"] }
args     = ["mean", "variance", "x", "n", "m"]
*/
#include <cuda_runtime.h>

// One thread for each column, so that neighbours read neighbouring elements; mean and variance in one pass, by Welford's update.
__global__ void stats_of_column(float* mean, float* variance, const float* x, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float middle = 0.0f, squares = 0.0f;
    for (int row = 0; row < rows; ++row) {
        float value = x[row * columns + column];
        float off = value - middle;
        middle += off / (row + 1);
        squares += off * (value - middle);
    }
    mean[column] = rows ? middle : NAN;
    variance[column] = rows ? squares / rows : NAN;
}

void column_stats(float* mean, float* variance, const float* x, int rows, int columns) {
    if (columns > 0) stats_of_column<<<(columns + 63) / 64, 64>>>(mean, variance, x, rows, columns);
}
