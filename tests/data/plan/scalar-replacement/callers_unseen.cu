// kernel=correlate line=8 finding=KO107
// A library file: whoever calls `runCorrelate` is elsewhere.
#include <cuda_runtime.h>

__global__ void correlate(float *out, const float *a, const float *b, int n) {
    int lag = blockIdx.x * blockDim.x + threadIdx.x;
    if (lag >= n) return;
    for (int k = 0; k < n; ++k) out[lag] += a[k] * b[(k + lag) % n];
}

void runCorrelate(float *out, const float *a, const float *b, int n, cudaStream_t stream) {
    correlate<<<(n + 255) / 256, 256, 0, stream>>>(out, a, b, n);
}
