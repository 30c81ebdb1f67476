// kernel=dot line=12 finding=KO115
#include <cuda_runtime.h>

__global__ void dot(const float *x, const float *y, float *result, int n)
{
    extern __shared__ float products[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int tid = threadIdx.x;

    float value = (i < n) ? x[i] * y[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (tid % 32 == 0)
        products[tid / 32] = value;
    __syncthreads();
    if (tid == 0) {
        for (int warp = 1; warp < 8; warp++)
            value += products[warp];
        atomicAdd(result, value);
    }
}

void run(const float *x, const float *y, float *result, int n)
{
    const int threads = 256;
    dot<<<(n + threads - 1) / threads, threads, threads * sizeof(float)>>>(x, y, result, n);
}
