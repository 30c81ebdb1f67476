// A vector update. The memory accesses are fine; bottleneck: blocks of one warp leave half of the SM's warp slots empty.
#include <cstdio>
#include <vector>

#define THREADS 32

__global__ void triad(float *a, const float *b, const float *c, float scalar, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + scalar * c[i];
}

int main()
{
    const int n = 1 << 20;
    std::vector<float> b(n), c(n), a(n);
    for (int i = 0; i < n; i++) {
        b[i] = i % 100;
        c[i] = 1.0f / (1 + i % 10);
    }
    float *da, *db, *dc;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dc, n * sizeof(float));
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int repeat = 0; repeat < 2; repeat++)
        triad<<<(n + THREADS - 1) / THREADS, THREADS>>>(da, db, dc, 3.0f, n);
    cudaMemcpy(a.data(), da, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : a) sum += v;
    printf("checksum %.6e\n", sum);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
