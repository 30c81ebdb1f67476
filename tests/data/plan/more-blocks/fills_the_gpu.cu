// kernel=sum line=5 finding=KO111
#include <cstdio>
#define B 1024

__global__ void sum(const float *x, float *out, int n)
{
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
    atomicAdd(out, s);
}

int main()
{
    int n = 1 << 22;
    float *x, *out, host;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&out, 4);
    cudaMemset(x, 0, n * 4);
    cudaMemset(out, 0, 4);
    sum<<<B, 256>>>(x, out, n);
    cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
    printf("%g\n", host);
}
