/* kernelopt
[operator]
launcher = "column_stats"
inputs   = { x = ["n", "m"] }
outputs  = { mean = ["m"], variance = ["m"] }
args     = ["mean", "variance", "x", "n", "m"]
*/
#include <cuda_runtime.h>

// One thread for each column, so that neighbours read neighbouring elements. Twice over the rows: squares of what is left after the mean keep
// their digits, where the mean of squares minus the squared mean loses them.
__global__ void stats_of_column(float* mean, float* variance, const float* x, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0.0f, squares = 0.0f;
    for (int row = 0; row < rows; ++row) sum += x[row * columns + column];
    float middle = sum / rows;
    for (int row = 0; row < rows; ++row) {
        float off = x[row * columns + column] - middle;
        squares += off * off;
    }
    mean[column] = middle;
    variance[column] = squares / rows;
}

void column_stats(float* mean, float* variance, const float* x, int rows, int columns) {
    if (columns > 0) stats_of_column<<<(columns + 63) / 64, 64>>>(mean, variance, x, rows, columns);
}
