// kernel=squared_errors line=20 finding=KO115 technique=block-shuffles
#include <cuda_runtime.h>

#define THREADS 128

/* one partial sum of (y - y_hat)^2 per block */
__global__ void squared_errors(const float *y, const float *y_hat, float *partial, int n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    if (i >= n) return;   // nothing to do

    float d = y[i] - y_hat[i];
    if (d < 0)
        d = -d;  // absolute
    part[t] = d * d;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = part[0];
}

void run(const float *y, const float *y_hat, float *partial, int n)
{
    squared_errors<<<n / THREADS + 1, THREADS>>>(y, y_hat, partial, n);
}
