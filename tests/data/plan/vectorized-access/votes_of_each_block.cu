// kernel=votes line=11 finding=KO118
#include <cstdio>

// each block keeps what it counted, for a kernel that looks at the blocks one by one
__global__ void votes(const unsigned char *ballot, int *of_block, long n)
{
    __shared__ int tally[32];
    if (threadIdx.x < 32)
        tally[threadIdx.x] = 0;
    __syncthreads();
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        atomicAdd(&tally[ballot[i]], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        of_block[blockIdx.x * 32 + threadIdx.x] = tally[threadIdx.x];
}

int main()
{
    const long n = 9000;
    static unsigned char h[n];
    static int out[3 * 32];
    for (long i = 0; i < n; i++)
        h[i] = i * i % 32;
    unsigned char *ballot;
    int *of_block;
    cudaMalloc(&ballot, n);
    cudaMalloc(&of_block, sizeof out);
    cudaMemcpy(ballot, h, n, cudaMemcpyHostToDevice);
    votes<<<3, 64>>>(ballot, of_block, n);
    cudaMemcpy(out, of_block, sizeof out, cudaMemcpyDeviceToHost);
    printf("%d %d\n", out[0], out[95]);
}
