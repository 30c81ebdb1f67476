// kernel=center line=9 finding=KO111
#include <cstdio>

__global__ void center(float *a, float *mean, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r * cols + c];
    mean[c] = sum / rows;
    a[c] = a[c] + mean[c];
}

int main()
{
    int rows = 300, cols = 64;
    float *a, *mean;
    cudaMallocManaged(&a, rows * cols * sizeof(float));
    cudaMallocManaged(&mean, cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) a[i] = i % 9;
    center<<<(cols + 63) / 64, 64>>>(a, mean, rows, cols);
    cudaDeviceSynchronize();
    printf("%.3f %.3f\n", mean[5], a[5]);
    return 0;
}
