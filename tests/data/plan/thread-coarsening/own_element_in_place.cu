// kernel=blend line=10 finding=KO108
#include <cuda_runtime.h>

__global__ void blend(const float *x, const float *w, const float *before, float *y, int n, int length, int planes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y;
    float acc = 0;
    for (int k = 0; k < length; k++)
        acc += x[i + k] * w[p * length + k];
    y[p * n + i] = acc + before[p * n + i];
}

void run(const float *x, const float *w, float *y, int n, int planes)
{
    blend<<<dim3(n / 256, planes), 256>>>(x, w, y, y, n, 9, planes);
}
