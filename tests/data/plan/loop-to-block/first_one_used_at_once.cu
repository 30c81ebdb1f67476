// kernel=scale line=10 finding=KO122
#include <cuda_runtime.h>

__global__ void scale(const float *gains, float *samples, int n)
{
    __shared__ float gain[100];
    __shared__ float loudest;
    if (threadIdx.x == 0)
    {
        for (int c = 0; c < 100; c++)
            gain[c] = gains[c] * gains[c];
        loudest = gain[0] > gain[99] ? gain[0] : gain[99];
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) samples[i] *= gain[i % 100] / loudest;
}

void run(const float *gains, float *samples, int n)
{
    scale<<<(n + 127) / 128, 128>>>(gains, samples, n);
}
