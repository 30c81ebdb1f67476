#include "conv.h"
#include "util.h"

__constant__ float w3[27];

/* a thread walks along the slowest dimension */
__global__ void conv3d(const float *in, float *out, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (k < 1 || j < 1 || k >= n - 1 || j >= n - 1)
        return;
    for (int i = 1; i < n - 1; i++) {
        float sum = 0.f;
        for (int di = -1; di <= 1; di++)
            for (int dj = -1; dj <= 1; dj++)
                for (int dk = -1; dk <= 1; dk++)
                    sum += w3[(di + 1) * 9 + (dj + 1) * 3 + dk + 1] * in[((size_t)(i + di) * n + j + dj) * n + k + dk];
        out[((size_t)i * n + j) * n + k] = sum;
    }
}

void set_weights_3d(const float w[27])
{
    CUDA_SAFE(cudaMemcpyToSymbol(w3, w, sizeof(w3)));
}

void convolve_3d(const float *in, float *out, int n)
{
    dim3 block(32, 4);
    dim3 grid((n + 31) / 32, (n + 3) / 4);
    conv3d<<<grid, block>>>(in, out, n);
    CUDA_SAFE(cudaGetLastError());
}
