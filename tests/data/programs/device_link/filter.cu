#include "weights.cuh"

__global__ void
__launch_bounds__(128)
filter(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = weighted(in, i) + 1.0f;
}
