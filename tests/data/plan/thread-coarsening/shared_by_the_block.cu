// kernel=fold line=14 finding=KO108
#include <cuda_runtime.h>

__global__ void fold(const float *x, const float *w, float *y, int n, int length, int planes)
{
    __shared__ float taps[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y;
    if (threadIdx.x < length)
        taps[threadIdx.x] = w[p * length + threadIdx.x];
    __syncthreads();
    float acc = 0;
    for (int k = 0; k < length; k++)
        acc += x[i + k] * taps[k];
    y[p * n + i] = acc;
}

void run(const float *x, const float *w, float *y, int n, int planes)
{
    fold<<<dim3(n / 256, planes), 256>>>(x, w, y, n, 9, planes);
}
