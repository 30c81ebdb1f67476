#include "imgk/imgk.h"
#include "taps.cuh"

static __global__ void blurRows(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int t = -RADIUS; t <= RADIUS; t++)
        sum += taps[t + RADIUS] * in[y * w + clamped(x + t, w)];
    out[y * w + x] = sum;
}

// brighter darks
__global__ void gammaKernel(float *p, int n, float strength)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] + strength * powf(1.0f - p[i], 3.0f);
}

namespace imgk {

void blur(const float *in, float *out, int width, int height)
{
    dim3 grid((width + IMGK_BLOCK - 1) / IMGK_BLOCK, height);
    blurRows<<<grid, IMGK_BLOCK>>>(in, out, width, height);
}

void gamma(float *pixels, int n, float strength)
{
    gammaKernel<<<(n + IMGK_BLOCK - 1) / IMGK_BLOCK, IMGK_BLOCK>>>(pixels, n, strength);
}

}
