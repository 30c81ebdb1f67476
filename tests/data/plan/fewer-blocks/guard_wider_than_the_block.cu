// kernel=first_letters line=15 finding=KO110
#include <cstdio>
#include <cstdlib>

__global__ void first_letters(const unsigned char *first, int *count, int n)
{
    __shared__ int local[256];
    // characters are ASCII, and blocks have 128 threads
    if (threadIdx.x < 256) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[first[i] & 127], 1);
    __syncthreads();
    if (threadIdx.x < 256)
        atomicAdd(&count[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int n = 6000;
    unsigned char *h = (unsigned char *)malloc(n), *first;
    for (int i = 0; i < n; i++) h[i] = 'a' + i * 5 % 26;
    int result[128], *count;
    cudaMalloc(&first, n);
    cudaMalloc(&count, sizeof(result));
    cudaMemcpy(first, h, n, cudaMemcpyHostToDevice);
    cudaMemset(count, 0, sizeof(result));
    first_letters<<<20, 128>>>(first, count, n);
    cudaMemcpy(result, count, sizeof(result), cudaMemcpyDeviceToHost);
    for (int c = 'a'; c <= 'z'; c += 5) printf("%c %d ", c, result[c]);
    printf("\n");
    return 0;
}
