#include "blur.h"
#include "window.cuh"

__global__ void k_rows(const float *in, float *out, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w) out[y * w + x] = window(in + y * w, x, w, 1, r);
}

void blur_rows(const float *in, float *out, int w, int h, int r)
{
    k_rows<<<dim3((w + 31) / 32, h), 32>>>(in, out, w, h, r);
}
