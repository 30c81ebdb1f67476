#include "weights.cuh"
#include <cstdio>

int main()
{
    const int n = 256;
    float h[n], *a, *b;
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc(&a, sizeof(h)); cudaMalloc(&b, sizeof(h));
    cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
    filter<<<2, 128>>>(a, b, n);
    cudaMemcpy(h, b, sizeof(h), cudaMemcpyDeviceToHost);
    const float w[8] = {1, 2, 3, 4, 4, 3, 2, 1};
    int bad = 0;
    for (int i = 0; i < n; i++) bad += h[i] != i * w[i % 8] + 1.0f;
    printf("filter bad=%d\n", bad);
    cudaFree(a); cudaFree(b);
    return bad;
}
