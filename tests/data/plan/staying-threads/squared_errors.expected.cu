// kernel=squared_errors line=20 finding=KO115 technique=block-shuffles
#include <cuda_runtime.h>

#define THREADS 128

/* one partial sum of (y - y_hat)^2 per block */
__global__ void squared_errors(const float *y, const float *y_hat, float *partial, int n)
{
    __shared__ float part[THREADS / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    float sum = 0.0f;
    if (i < n) {
        float d = y[i] - y_hat[i];
        if (d < 0)
            d = -d;  // absolute
        sum = d * d;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t == 0 && i < n) {
        for (int warp = 1; warp < THREADS / 32; warp++)
            sum += part[warp];
        partial[blockIdx.x] = sum;
    }
}

void run(const float *y, const float *y_hat, float *partial, int n)
{
    squared_errors<<<n / THREADS + 1, THREADS>>>(y, y_hat, partial, n);
}
