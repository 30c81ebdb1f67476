// kernel=scan line=11 finding=KO119
#include <stdio.h>

__global__ void scan(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    temp[pout * n + thid] = (thid > 0) ? g_idata[thid - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2)
    {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    g_odata[thid] = temp[pout * n + thid];
}

int main(void)
{
    const int n = 128;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    for (int i = 0; i < n; i++) in[i] = (float)(i % 10);
    scan<<<1, n, 2 * n * sizeof(float)>>>(out, in, n);
    cudaDeviceSynchronize();
    printf("%f\n", out[n - 1]);
    return 0;
}
