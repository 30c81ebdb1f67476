// kernel=count_flags line=17 finding=KO110
#include <cstdio>
#include <cstdlib>

__global__ void count_flags(const unsigned char *flags, unsigned long long *counts, int n, int stride)
{
    __shared__ unsigned int bits[8];
    for (int b = threadIdx.x; b < 8; b += blockDim.x)
        bits[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        for (int b = 0; b < 8; b++)
            if (flags[i] >> b & 1)
                atomicAdd(&bits[b], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 8; b += blockDim.x)
        atomicAdd(&counts[b], (unsigned long long)bits[b]);
}

int main()
{
    const int n = 8192, blocks = 10;
    unsigned char *h = (unsigned char *)malloc(n), *flags;
    for (int i = 0; i < n; i++) h[i] = i * 73 >> 2;
    unsigned long long result[8], *counts;
    cudaMalloc(&flags, n);
    cudaMalloc(&counts, sizeof(result));
    cudaMemcpy(flags, h, n, cudaMemcpyHostToDevice);
    cudaMemset(counts, 0, sizeof(result));
    count_flags<<<blocks, 256>>>(flags, counts, n, blocks * 256);
    cudaMemcpy(result, counts, sizeof(result), cudaMemcpyDeviceToHost);
    for (int b = 0; b < 8; b++) printf("%llu ", result[b]);
    printf("\n");
    return 0;
}
