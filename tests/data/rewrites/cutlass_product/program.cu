#include <cstdio>
#include <vector>

// c (m x n) = a (m x k) * b (k x n), all row by row
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float s = 0.f;
    for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
    c[row * n + col] = s;
}

int main()
{
    const int m = 1024, n = 768, k = 512;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; i++) a[i] = (i * 29 % 64) / 64.f - 0.5f;
    for (int i = 0; i < k * n; i++) b[i] = (i * 31 % 61) / 64.f - 0.5f;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * 4);
    cudaMalloc(&db, b.size() * 4);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < m * n; i++) s += c[i] * (i % 7);
    printf("%.2f\n", s);
}
