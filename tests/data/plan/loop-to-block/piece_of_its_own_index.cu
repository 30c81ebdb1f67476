// kernel=smooth line=11 finding=KO122
#include <cuda_runtime.h>
#define HALO 64

__global__ void smooth(const float *in, float *out, int n)
{
    __shared__ float piece[256 + HALO];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    piece[threadIdx.x] = in[i];
    if (threadIdx.x == 0)
        for (int k = 0; k < HALO; k++)
            piece[256 + k] = in[i + 256 + k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < HALO; k++) sum += piece[threadIdx.x + k];
    out[i] = sum / HALO;
}

void run(const float *in, float *out, int n)
{
    smooth<<<n / 256 - 1, 256>>>(in, out, n);
}
