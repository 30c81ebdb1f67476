#include "backend.h"
#include <cuda_runtime.h>
#include <stdio.h>

int main()
{
    enum { n = 1024 };
    unsigned char h[n], *d;
    for (int i = 0; i < n; i++) h[i] = (unsigned char)i;
    cudaMalloc((void **)&d, n);
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    invert(d, n);
    cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += h[i] != (unsigned char)(255 - (unsigned char)i);
    printf("%s: bad=%d\n", backend_name(), bad);
    cudaFree(d);
    return bad;
}
