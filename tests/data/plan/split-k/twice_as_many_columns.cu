// kernel=sums line=9 finding=KO111
#include <cstdio>

__global__ void sums(const float *a, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= 2 * cols) return;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r * 2 * cols + c];
    out[c] = sum;
}

int main()
{
    int rows = 300, cols = 64;
    float *a, *out;
    cudaMallocManaged(&a, 2 * rows * cols * sizeof(float));
    cudaMallocManaged(&out, 2 * cols * sizeof(float));
    for (int i = 0; i < 2 * rows * cols; i++) a[i] = i % 9;
    for (int c = 0; c < 2 * cols; c++) out[c] = -1;
    sums<<<(2 * cols + 63) / 64, 64>>>(a, out, rows, cols);
    cudaDeviceSynchronize();
    printf("%.3f %.3f\n", out[5], out[100]);
    return 0;
}
