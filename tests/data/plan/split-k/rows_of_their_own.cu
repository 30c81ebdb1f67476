// kernel=row_sums line=9 finding=KO111
#include <cstdio>

__global__ void row_sums(const float *a, float *out, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < cols; c++) sum += a[r * cols + c];
    out[r] = sum;
}

int main()
{
    int rows = 64, cols = 300;
    float *a, *out;
    cudaMallocManaged(&a, rows * cols * sizeof(float));
    cudaMallocManaged(&out, rows * sizeof(float));
    for (int i = 0; i < rows * cols; i++) a[i] = i % 9;
    row_sums<<<(rows + 63) / 64, 64>>>(a, out, rows, cols);
    cudaDeviceSynchronize();
    printf("%.3f\n", out[5]);
    return 0;
}
