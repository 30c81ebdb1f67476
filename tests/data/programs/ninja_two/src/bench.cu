#include <cstdio>
#include "gemv.cuh"
#ifndef REPEATS
#define REPEATS 100
#endif

int main()
{
    float *a, *x, *y;
    cudaMalloc(&a, 64 * 64 * 4); cudaMalloc(&x, 64 * 4); cudaMalloc(&y, 64 * 4);
    cudaMemset(a, 0, 64 * 64 * 4); cudaMemset(x, 0, 64 * 4);
    for (int i = 0; i < REPEATS; i++) gemv(a, x, y, 64, 64);
    cudaDeviceSynchronize();
    printf("done %d\n", REPEATS);
}
