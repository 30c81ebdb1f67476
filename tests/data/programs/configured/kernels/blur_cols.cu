#include "blur.h"
#include "window.cuh"

__global__ void k_cols(const float *in, float *out, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w) out[y * w + x] = window(in + x, y, h, w, r);
}

void blur_cols(const float *in, float *out, int w, int h, int r)
{
    k_cols<<<dim3((w + 31) / 32, h), 32>>>(in, out, w, h, r);
}
