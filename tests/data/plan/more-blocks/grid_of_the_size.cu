// kernel=scale line=4 finding=KO111
#include <cstdio>

__global__ void scale(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 3.0f;
}

int main(int argc, char **)
{
    int n = 5000 * argc;
    float *x, host[4];
    cudaMalloc(&x, n * 4);
    cudaMemset(x, 0, n * 4);
    scale<<<(n + 255) / 256, 256>>>(x, n);
    cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
}
