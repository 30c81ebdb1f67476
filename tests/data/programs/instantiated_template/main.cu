#include "scan.h"
#include <cuda_runtime.h>
#include <cstdio>

int main(void)
{
    int h[200], *a, *b;
    for (int i = 0; i < 200; i++) h[i] = i % 5;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    Plan<int> plan(200);
    plan.run(a, b);
    int got[200], sum = 0, wrong = 0;
    cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 200; i++) { sum += h[i]; if (got[i] != sum) wrong++; }
    inclusive_scan<int>(a, b, 10);
    printf("scan last=%d wrong=%d\n", got[199], wrong);
    cudaFree(a), cudaFree(b);
    return wrong ? 1 : 0;
}
