#include <cstdio>
#include <cuda_fp16.h>
#include <vector>

// c (rows x 8) = a (rows x k) * b (8 x k, transposed)
__global__ void narrow(const half *a, const half *b, float *c, int k)
{
    int row = blockIdx.x * 64 + threadIdx.x / 2, first = threadIdx.x % 2 * 4;
    float s[4] = {0.f, 0.f, 0.f, 0.f};
    for (int i = 0; i < k; i++)
        for (int j = 0; j < 4; j++) s[j] += __half2float(a[row * k + i]) * __half2float(b[(first + j) * k + i]);
    for (int j = 0; j < 4; j++) c[row * 8 + first + j] = s[j];
}

int main()
{
    const int rows = 8192, k = 1024;
    std::vector<half> a(rows * k), b(8 * k);
    std::vector<float> c(rows * 8);
    for (int i = 0; i < rows * k; i++) a[i] = __float2half((i * 29 % 64) / 64.f - 0.5f);
    for (int i = 0; i < 8 * k; i++) b[i] = __float2half((i * 31 % 61) / 64.f - 0.5f);
    half *da, *db;
    float *dc;
    cudaMalloc(&da, a.size() * 2);
    cudaMalloc(&db, b.size() * 2);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
    narrow<<<rows / 64, 128>>>(da, db, dc, k);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < rows * 8; i++) s += c[i] * (i % 7);
    printf("%.2f\n", s);
}
