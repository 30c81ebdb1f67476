// kernel=sums line=9 finding=KO111
#include <cstdio>

__global__ void sums(const float *a, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r * cols + c];
    out[c] = sum;
}

int main()
{
    int rows = 300, cols = 128;
    float *a, *out;
    cudaMallocManaged(&a, rows * cols * sizeof(float));
    cudaMallocManaged(&out, cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) a[i] = i % 9;
    for (int c = 0; c < cols; c++) out[c] = -1;
    sums<<<cols / 128, 64>>>(a, out, rows, cols);  // the other half stays as it was
    cudaDeviceSynchronize();
    printf("%.3f %.3f\n", out[5], out[100]);
    return 0;
}
