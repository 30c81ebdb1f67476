// kernel=blend line=10 finding=KO122
#include <cuda_runtime.h>

__global__ void blend(const float *table, const float *in, float *out, int n)
{
    __shared__ float weights[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (threadIdx.x == 0)
        for (int k = 0; k < 128; k++)
            weights[k] = table[k];
    __syncthreads();
    out[i] = in[i] * weights[i % 128];
}

void run(const float *table, const float *in, float *out, int n)
{
    blend<<<(n + 255) / 256, 256>>>(table, in, out, n);
}
