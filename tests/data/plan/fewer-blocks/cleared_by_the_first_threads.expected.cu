// kernel=hist64 line=17 finding=KO110
#include <stdio.h>
#include <stdlib.h>

__global__ void hist64(const unsigned short *in, unsigned int *out, int n)
{
    __shared__ unsigned int table[64];

    if (threadIdx.x < 64) table[threadIdx.x] = 0;
    __syncthreads();

    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&table[in[i] >> 10], 1);
    __syncthreads();

    /* one thread for each bin */
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], table[threadIdx.x]);
}

int main(void)
{
    const int n = 12345;
    unsigned short *in, *h = (unsigned short *)malloc(n * sizeof *h);
    unsigned int *out, result[64];
    for (int i = 0; i < n; i++) h[i] = (unsigned short)(i * 40503u >> 3);
    cudaMalloc((void **)&in, n * sizeof *h);
    cudaMalloc((void **)&out, sizeof result);
    cudaMemcpy(in, h, n * sizeof *h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof result);
    hist64<<<4, 1024>>>(in, out, n);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 64; b += 7) printf("bin %2d: %u\n", b, result[b]);
    cudaFree(in);
    cudaFree(out);
    free(h);
    return 0;
}
