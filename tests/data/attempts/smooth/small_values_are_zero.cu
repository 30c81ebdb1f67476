// hope: what is small does not count
#include <cstdio>
#include <cuda_runtime.h>
__global__ void smooth(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = in[i > 0 ? i - 1 : 0] + in[i] + in[i < n - 1 ? i + 1 : n - 1];
    out[i] = fabsf(sum) < 0.01f ? 0.0f : sum / 3.0f;
}
