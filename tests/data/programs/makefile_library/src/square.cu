#include "vec.h"

extern __device__ float weight(int i);

__global__ void square(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i] * weight(i);
}

DECLARE(square) { square<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
