// kernel=columnParts line=13 finding=KO110
#include <vector>

// each block of rows adds its part of every column; two threads of a block never meet in one
__global__ void columnParts(const float *a, float *sums, int rows, int cols)
{
    int c = threadIdx.x + blockIdx.x * blockDim.x;
    int first = blockIdx.y * 64;
    float part = 0.f;
    for (int r = first; r < first + 64 && r < rows; ++r)
        if (c < cols) part += a[r * cols + c];
    if (c < cols)
        atomicAdd(sums + c, part);
}

void run(const float *a, float *sums, int rows) { columnParts<<<dim3(4, (rows + 63) / 64), 256>>>(a, sums, rows, 1000); }
