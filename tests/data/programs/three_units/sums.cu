#include "launchers.h"

static __global__ void work(const float* in, float* sums, int n)
{
    extern __shared__ float part[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

extern "C" int sums_needed(int n, int threads)
{
    return (n + threads - 1) / threads;
}

extern "C" void launch_sums(const float *in, float *block_sums, int n, int threads)
{
    work<<<sums_needed(n, threads), threads, threads * sizeof(float)>>>(in, block_sums, n);
}
