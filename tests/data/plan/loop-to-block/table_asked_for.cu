// kernel=shade line=11 finding=KO122
#include <cuda_runtime.h>

__global__ void shade(const float *ramp, float *light, int n, bool is_toned)
{
    __shared__ float tone[200];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
    {
        if (is_toned)
            for (int k = 0; k < 200; k++)
                tone[k] = ramp[k];
    }
    __syncthreads();
    if (i < n && is_toned) light[i] *= tone[i % 200];
}

void run(const float *ramp, float *light, int n, bool is_toned)
{
    shade<<<(n + 127) / 128, 128>>>(ramp, light, n, is_toned);
}
