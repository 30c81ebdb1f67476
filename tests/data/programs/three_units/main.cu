#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>
#include "launchers.h"

static float host_total(const float *v, int n)
{
    float t = 0.f;
    for (int i = 0; i < n; ++i) t += v[i];
    return t;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 2048, threads = 128;
    const int blocks = sums_needed(n, threads);
    float *d, *s;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&s, blocks * sizeof(float));
    launch_fill(d, 1.0f, n);
    launch_sums(d, s, n, threads);
    float *h = (float*)malloc(blocks * sizeof(float));
    cudaMemcpy(h, s, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    float got = host_total(h, blocks), want = 0.f;
    for (int i = 0; i < n; ++i) want += 1.0f + (i % 7);
    printf("sum %.1f expected %.1f: %s\n", got, want, got == want ? "PASS" : "FAIL");
    free(h); cudaFree(d); cudaFree(s);
    return got == want ? 0 : 1;
}
