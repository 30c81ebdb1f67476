// kernel=total_of_columns line=9 finding=KO111
#include <cuda_runtime.h>

__global__ void total_of_columns(const float *a, float *sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float s = 0;
        for (int r = 0; r < rows; ++r) s += a[r * cols + c];
        sums[c] = s;
    }
}

/* kernelopt
[workload.total_of_columns]
args = { a = "randn(rows*cols)", sums = "empty(cols)", rows = "rows", cols = "cols" }
grid = ["ceil(cols/256)"]
block = [256]
shapes = [{ rows = 200, cols = 130 }]
*/
