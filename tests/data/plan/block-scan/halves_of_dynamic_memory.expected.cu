// kernel=scan line=11 finding=KO119
#include <stdio.h>

__global__ void scan(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    float sum = (thid > 0) ? g_idata[thid - 1] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        float left = __shfl_up_sync(0xffffffff, sum, distance);
        if (thid % 32 >= distance)
            sum += left;
    }
    if (thid % 32 == 31)
        temp[thid / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < thid / 32; warp++)
        sum += temp[warp];
    g_odata[thid] = sum;
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
