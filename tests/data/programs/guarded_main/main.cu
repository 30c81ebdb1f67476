#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

int main()
{
    // no header: two functions do not need one
    extern void gemv(const float *, const float *, float *, int, int);
    const int m = 70, n = 30;
    std::vector<float> A(m * n, 0.5f), x(n, 2.0f), y(m);
    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * 4); cudaMalloc(&dx, n * 4); cudaMalloc(&dy, m * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
    gemv(dA, dx, dy, m, n);
    cudaMemcpy(y.data(), dy, m * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (float v : y) bad += v != float(n);
    std::printf("gemv bad=%d\n", bad);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return bad ? 1 : 0;
}
