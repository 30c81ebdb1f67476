// kernel=total_of_columns line=9 finding=KO111
#include <cuda_runtime.h>

__global__ void total_of_columns(const float *a, float *sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    if (c < cols)
        for (int r = threadIdx.y; r < rows; r += 16) s += a[r * cols + c];
    __shared__ float s_parts[16][32];
    s_parts[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    s = s_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) s += s_parts[part][threadIdx.x];
    if (threadIdx.y == 0 && c < cols) sums[c] = s;
}

/* kernelopt
[workload.total_of_columns]
args = { a = "randn(rows*cols)", sums = "empty(cols)", rows = "rows", cols = "cols" }
grid = ["(ceil(cols/256)) * 8"]
block = [32, 16]
shapes = [{ rows = 200, cols = 130 }]
*/
