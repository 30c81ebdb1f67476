// kernel=spmv line=13 finding=KO101
#include <cstdio>

__global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int rows)
{
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        int begin = start[row], end = start[row + 1];
        if (begin == end) {
            y[row] = 0;
            continue;
        }
        float sum = 0;
        for (int k = begin; k < end; k++) sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}
int main()
{
    int *i; float *f;
    cudaMallocManaged(&i, 9000 * sizeof(int));
    cudaMallocManaged(&f, 9000 * sizeof(float));
    spmv<<<2, 128>>>(i, i, f, f, f, 600);
    cudaDeviceSynchronize();
}
