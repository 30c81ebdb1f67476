// kernel=tail line=10 finding=KO108
#include <cuda_runtime.h>

__global__ void tail(const float *x, const float *w, float *y, int n, int length, int planes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y;
    float acc = 0;
    for (int j = 0; j < 1; j++)
    for (int k = p; k < length; k++)
        acc += x[i + k] * w[p * length + k];
    y[p * n + i] = acc;
}

void run(const float *x, const float *w, float *y, int n, int planes)
{
    tail<<<dim3(n / 256, planes), 256>>>(x, w, y, n, 9, planes);
}
