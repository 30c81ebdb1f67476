// kernel=energy line=15 finding=KO115
#include <cuda_runtime.h>

__global__ void energy(const double *wave, double *out, int *steps, int n)
{
    __shared__ double cache[64];
    int step = 32, count = 0;
    cache[threadIdx.x] = wave[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    while (step != 0) {
        if (threadIdx.x < step)
            cache[threadIdx.x] += cache[threadIdx.x + step];
        __syncthreads();
        step /= 2;
        count++;
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = cache[0];
        steps[blockIdx.x] = count;
    }
}

void run(const double *wave, double *out, int *steps, int n)
{
    energy<<<n / 64, 64>>>(wave, out, steps, n);
}
