// kernel=dot line=12 finding=KO115
#include <cuda_runtime.h>

__global__ void dot(const float *x, const float *y, float *result, int n)
{
    extern __shared__ float products[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int tid = threadIdx.x;

    products[tid] = (i < n) ? x[i] * y[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half)
            products[tid] += products[tid + half];
        __syncthreads();
    }
    if (tid == 0) atomicAdd(result, products[0]);
}

void run(const float *x, const float *y, float *result, int n)
{
    const int threads = 256;
    dot<<<(n + threads - 1) / threads, threads, threads * sizeof(float)>>>(x, y, result, n);
}
