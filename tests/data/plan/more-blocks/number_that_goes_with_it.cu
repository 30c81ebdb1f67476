// kernel=lows line=4 finding=KO111
#include <cstdio>

__global__ void lows(const int *x, int *low, int n)
{
    int mine = 1 << 30;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine = min(mine, x[i]);
    atomicMin(&low[blockIdx.x], mine);
}

int main()
{
    int n = 1 << 18, *x, *low, host[48];
    cudaMalloc(&x, n * 4);
    cudaMalloc(&low, sizeof(host));
    cudaMemset(x, 1, n * 4);
    cudaMemset(low, 0x7f, sizeof(host));
    lows<<<48, 128>>>(x, low, n);
    cudaMemcpy(host, low, sizeof(host), cudaMemcpyDeviceToHost);
    for (int b = 1; b < 48; b++) host[0] = host[b] < host[0] ? host[b] : host[0];
    printf("%d\n", host[0]);
}
