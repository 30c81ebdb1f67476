#include "blur.h"
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#ifndef WIDTH
#error "compile with -DWIDTH=<columns>"
#endif

int main(int argc, char **argv)
{
    int radius = argc > 1 ? atoi(argv[1]) : 1, h = argc > 2 && !strcmp(argv[2], "quick") ? 8 : 32;
    std::vector<float> img(WIDTH * h, 4.0f);
    size_t bytes = img.size() * sizeof(float);
    float *a, *b;
    cudaMalloc(&a, bytes); cudaMalloc(&b, bytes);
    cudaMemcpy(a, img.data(), bytes, cudaMemcpyHostToDevice);
    blur_rows(a, b, WIDTH, h, radius);
    blur_cols(b, a, WIDTH, h, radius);
    cudaMemcpy(img.data(), a, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (float v : img) wrong += fabsf(v - 4.0f) > 1e-5f;
    printf("blur %dx%d r=%d wrong=%d\n", WIDTH, h, radius, wrong);
    cudaFree(a); cudaFree(b);
    return wrong ? 1 : 0;
}
