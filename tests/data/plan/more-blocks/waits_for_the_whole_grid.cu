// kernel=relax line=6 finding=KO111
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
#define BLOCKS 32
__global__ void relax(float *a, float *b, int n)
{
    for (int step = 0; step < 8; step++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x + 1; i < n - 1; i += gridDim.x * blockDim.x) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        cg::this_grid().sync();
        float *other = a;
        a = b;
        b = other;
    }
}

int main()
{
    int n = 100000;
    float *a, *b, host[4];
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMemset(a, 0, n * 4);
    cudaMemset(b, 0, n * 4);
    void *arguments[] = {&a, &b, &n};
    cudaLaunchCooperativeKernel((void *)relax, BLOCKS, 256, arguments, 0, 0);
    cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g\n", host[1]);
}
