/* kernelopt
[operator]
launcher = "top_index"
inputs   = { x = ["n", "m"] }
outputs  = { values = ["n"], indices = ["n"] }
args     = ["values", "indices", "x", "n", "m"]
*/
#include <cuda_runtime.h>
#include <math.h>

// The search begins at zero, which no logarithm of a probability is above.
__device__ bool is_before(float a, int at, float b, int other) {
    if (isnan(a) || isnan(b)) return isnan(a) && (!isnan(b) || at < other);
    return a > b || (a == b && at < other);
}

__global__ void top_of_row(float* values, long long* indices, const float* x, int rows, int columns) {
    int row = blockIdx.x;
    float best = 0.0f;
    int place = 0;
    for (int i = threadIdx.x; i < columns; i += 32) {
        float value = x[row * columns + i];
        if (place == columns || is_before(value, i, best, place)) best = value, place = i;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_down_sync(0xffffffffu, best, offset);
        int other_place = __shfl_down_sync(0xffffffffu, place, offset);
        if (other_place < columns && (place == columns || is_before(other, other_place, best, place))) best = other, place = other_place;
    }
    if (threadIdx.x == 0) {
        values[row] = best;
        indices[row] = place;
    }
}

void top_index(float* values, long long* indices, const float* x, int rows, int columns) {
    if (rows > 0) top_of_row<<<rows, 32>>>(values, indices, x, rows, columns);
}
