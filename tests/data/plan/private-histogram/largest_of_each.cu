// kernel=tops line=7 finding=KO110
#include <cuda_runtime.h>
__global__ void tops(const int *group, const int *v, int *top, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(&top[group[i]], v[i]);
}

void run(int *group, int *v, int n)
{
    int *top;
    cudaMalloc(&top, 32 * sizeof(int));
    tops<<<(n + 255) / 256, 256>>>(group, v, top, n);
}
