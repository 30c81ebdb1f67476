#include <cstdio>
#include <vector>

// c (rows x 32) = a (rows x k) * b (k x 32)
__global__ void tall(const float *a, const float *b, float *c, int k)
{
    int x = threadIdx.x, y = blockIdx.x;
    float s = 0.f;
    for (int i = 0; i < k; i++) s += a[y * k + i] * b[i * 32 + x];
    c[y * 32 + x] = s;
}

void product(const float *a, const float *b, float *c, int rows, int k)
{
    tall<<<rows, 32>>>(a, b, c, k);
}

int main()
{
    const int rows = 4, k = 4096;
    std::vector<float> a(rows * k), b(k * 32), c(rows * 32);
    for (int i = 0; i < rows * k; i++) a[i] = ((i * 29) % 64) / 64.f - 0.5f;
    for (int i = 0; i < k * 32; i++) b[i] = ((i * 31) % 61) / 64.f - 0.5f;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * 4);
    cudaMalloc(&db, b.size() * 4);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    product(da, db, dc, rows, k);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    printf("%.2f %.2f\n", c[0], c[rows * 32 - 1]);
}
