// kernel=largest line=9 finding=KO111
#include <cstdio>

__global__ void largest(const float *a, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float best = a[c];
    for (int r = 0; r < rows; r++) best = fmaxf(best, a[r * cols + c]);
    out[c] = best;
}

int main()
{
    int rows = 300, cols = 64;
    float *a, *out;
    cudaMallocManaged(&a, rows * cols * sizeof(float));
    cudaMallocManaged(&out, cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) a[i] = i % 9;
    largest<<<(cols + 63) / 64, 64>>>(a, out, rows, cols);
    cudaDeviceSynchronize();
    printf("%.3f\n", out[5]);
    return 0;
}
