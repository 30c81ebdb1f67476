#include <cstdio>
#include <vector>

__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}

__global__ void add_bias(float *y, const float *bias, int n, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += bias[i % c];
}

__global__ void relu(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = y[i] > 0.f ? y[i] : 0.f;
}

void layer(float *y, const float *x, const float *bias, int n, int c)
{
    int blocks = (n + 255) / 256;
    scale<<<blocks, 256>>>(y, x, 1.5f, n);
    add_bias<<<blocks, 256>>>(y, bias, n, c);
    relu<<<blocks, 256>>>(y, n);
}

int main()
{
    const int n = 1 << 14, c = 96;
    std::vector<float> x(n), bias(c), y(n);
    for (int i = 0; i < n; i++) x[i] = (i * 131 % 997) / 512.0f - 1.0f;
    for (int i = 0; i < c; i++) bias[i] = i / 64.0f - 0.5f;
    float *dx, *db, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&db, c * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, bias.data(), c * sizeof(float), cudaMemcpyHostToDevice);
    layer(dy, dx, db, n, c);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    double s = 0;
    for (float v : y) s += v;
    printf("sum %.3f\n", s);
}
