// kernel=rowstat line=13 finding=KO101
#include <cstdio>
#include <cstdlib>

template <class T> __device__ inline T sq(T v) { return v * v; }

// mean and variance, in two passes
__global__ void rowstat(const float *__restrict__ m, float *mean, float *var, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int c = 0; c < cols; c++) s += m[r * cols + c];
    mean[r] = s / cols;
    float v = 0;
    for (int c = 0; c < cols; c++) v += sq(m[r * cols + c] - mean[r]);
    var[r] = v / cols;
}

int main()
{
    int rows = 90, cols = 130;
    float *m, *mean, *var;
    cudaMallocManaged(&m, rows * cols * sizeof(float));
    cudaMallocManaged(&mean, rows * sizeof(float));
    cudaMallocManaged(&var, rows * sizeof(float));
    for (int i = 0; i < rows * cols; i++) m[i] = (i * 7919 % 1000) / 1000.f;
    rowstat<<<(rows + 63) / 64, 64>>>(m, mean, var, rows, cols);
    cudaDeviceSynchronize();
    float a = 0;
    for (int i = 0; i < rows; i++) a += mean[i] * var[i];
    printf("%.5f\n", a);
}
