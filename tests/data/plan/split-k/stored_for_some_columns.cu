// kernel=sums line=9 finding=KO111
#include <cstdio>

__global__ void sums(const float *a, const int *wanted, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r * cols + c];
    if (wanted[c]) out[c] = sum;
}

int main()
{
    int rows = 300, cols = 64;
    float *a, *out;
    int *wanted;
    cudaMallocManaged(&a, rows * cols * sizeof(float));
    cudaMallocManaged(&out, cols * sizeof(float));
    cudaMallocManaged(&wanted, cols * sizeof(int));
    for (int i = 0; i < rows * cols; i++) a[i] = i % 9;
    for (int c = 0; c < cols; c++) { out[c] = -1; wanted[c] = c % 2; }
    sums<<<(cols + 63) / 64, 64>>>(a, wanted, out, rows, cols);
    cudaDeviceSynchronize();
    printf("%.3f %.3f\n", out[5], out[6]);
    return 0;
}
