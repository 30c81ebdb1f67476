// kernel=halve line=4 finding=KO111
#include <cstdio>

__global__ void halve(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 40; k++) x[i] = x[i] * 0.5f + k;
}

int main()
{
    float *x, host[4];
    cudaMalloc(&x, 16 * 256 * 4);
    cudaMemset(x, 0, 16 * 256 * 4);
    halve<<<16, 256>>>(x);
    cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
}
