// kernel=lengths line=10 finding=KO111
#include <cmath>
#include <cstdio>

__global__ void lengths(const float *a, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r * cols + c] * a[r * cols + c];
    out[c] = sqrtf(sum);
}

int main()
{
    int rows = 300, cols = 64;
    float *a, *out;
    cudaMallocManaged(&a, rows * cols * sizeof(float));
    cudaMallocManaged(&out, cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) a[i] = i % 9;
    lengths<<<(cols + 63) / 64, 64>>>(a, out, rows, cols);
    cudaDeviceSynchronize();
    printf("%.3f\n", out[5]);
    return 0;
}
