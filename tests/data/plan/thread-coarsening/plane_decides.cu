// kernel=fold line=11 finding=KO108
#include <cuda_runtime.h>

__global__ void fold(const float *x, const float *w, float *y, int n, int length, int planes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y;
    float acc = 0;
    for (int k = 0; k < length; k++)
        if (k % 2 == p % 2)
            acc += x[i + k] * w[p * length + k];
    y[p * n + i] = acc;
}

void run(const float *x, const float *w, float *y, int n, int planes)
{
    fold<<<dim3(n / 256, planes), 256>>>(x, w, y, n, 9, planes);
}
