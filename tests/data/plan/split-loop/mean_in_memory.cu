// kernel=column_stats line=12 finding=KO111
#include <cstdio>
#include <cstdlib>

// mean and variance of each column, in two passes
__global__ void column_stats(const float *m, float *mean, float *var, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols)
    {
        float s = 0;
        for (int r = 0; r < rows; r++) s += m[r * cols + c];
        mean[c] = s / rows;
        float v = 0;
        for (int r = 0; r < rows; r++) v += (m[r * cols + c] - mean[c]) * (m[r * cols + c] - mean[c]);
        var[c] = v / rows;
    }
}

int main()
{
    int rows = 130, cols = 90;
    float *m, *mean, *var;
    cudaMallocManaged(&m, rows * cols * sizeof(float));
    cudaMallocManaged(&mean, cols * sizeof(float));
    cudaMallocManaged(&var, cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) m[i] = (i * 7919 % 1000) / 1000.f;
    column_stats<<<(cols + 31) / 32, 32>>>(m, mean, var, rows, cols);
    cudaDeviceSynchronize();
    float a = 0;
    for (int i = 0; i < cols; i++) a += mean[i] * var[i];
    printf("%.5f\n", a);
}
