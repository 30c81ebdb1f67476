#include "../../backend.h"

__global__ void invert_bytes(unsigned char *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 255 - p[i];
}

void invert(unsigned char *pixels, int n) { invert_bytes<<<(n + 127) / 128, 128>>>(pixels, n); }

const char *backend_name() { return "plain"; }
