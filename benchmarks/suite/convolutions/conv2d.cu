#include "conv.h"
#include "util.h"

__constant__ float w2[9];

__global__ void conv2d(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    out[y * n + x] = w2[0] * in[(y - 1) * n + x - 1] + w2[1] * in[(y - 1) * n + x] + w2[2] * in[(y - 1) * n + x + 1]
                   + w2[3] * in[y * n + x - 1]       + w2[4] * in[y * n + x]       + w2[5] * in[y * n + x + 1]
                   + w2[6] * in[(y + 1) * n + x - 1] + w2[7] * in[(y + 1) * n + x] + w2[8] * in[(y + 1) * n + x + 1];
}

void set_weights_2d(const float w[9])
{
    CUDA_SAFE(cudaMemcpyToSymbol(w2, w, sizeof(w2)));
}

void convolve_2d(const float *in, float *out, int n)
{
    dim3 block(32, 8);
    dim3 grid((n + 31) / 32, (n + 7) / 8);
    conv2d<<<grid, block>>>(in, out, n);
    CUDA_SAFE(cudaGetLastError());
}
