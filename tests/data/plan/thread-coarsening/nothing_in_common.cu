// kernel=smooth line=9 finding=KO108
#include <cuda_runtime.h>

__global__ void smooth(const float *x, float *y, int n, int planes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y;
    float acc = 0;
    for (int k = 0; k < 9; k++) acc += x[p * (n + 8) + i + k];
    y[p * n + i] = acc;
}

void run(const float *x, float *y, int n, int planes)
{
    smooth<<<dim3(n / 256, planes), 256>>>(x, y, n, planes);
}
