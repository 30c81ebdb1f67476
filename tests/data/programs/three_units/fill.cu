#include "launchers.h"

namespace {

// only this file's business, although sums.cu has one of the same name
__global__ void work(float *out, float start, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = start + (i % 7);
}

int blocks_of(int n) { return (n + 255) / 256; }

}

extern "C" void launch_fill(float *out, float start, int n)
{
    work<<<blocks_of(n), 256>>>(out, start, n);
}
