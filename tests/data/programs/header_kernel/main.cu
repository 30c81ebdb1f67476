#include <cstdio>
#include <cstdlib>
#include <cmath>
#include "scale.cuh"

#define CHECK(call) do { cudaError_t e_ = (call); \
    if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    float *h = (float *)malloc(n * sizeof(float)), *x, *y;
    for (int i = 0; i < n; i++) h[i] = 0.5f * i;

    CHECK(cudaMalloc((void **)&x, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&y, n * sizeof(float)));
    CHECK(cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice));
    scale(x, y, 2.0f, 1.0f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, y, n * sizeof(float), cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int i = 0; i < n; i++)
        if (fabsf(h[i] - (2.0f * (0.5f * i) + 1.0f)) > 1e-3f) bad++;
    printf("scale: n=%d wrong=%d %s\n", n, bad, bad ? "FAILED" : "ok");
    cudaFree(x); cudaFree(y); free(h);
    return bad != 0;
}
