// kernel=sums line=9 finding=KO111
#include <cstdio>

__global__ void sums(const float *a, float *out, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float sum = 0;
    for (int r = 0; r < 24; r++) sum += a[r * cols + c];
    out[c] = sum;
}

int main()
{
    int cols = 64;
    float *a, *out;
    cudaMallocManaged(&a, 24 * cols * sizeof(float));
    cudaMallocManaged(&out, cols * sizeof(float));
    for (int i = 0; i < 24 * cols; i++) a[i] = i % 9;
    sums<<<(cols + 63) / 64, 64>>>(a, out, cols);
    cudaDeviceSynchronize();
    printf("%.3f\n", out[5]);
    return 0;
}
